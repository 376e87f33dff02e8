// SPDX-License-Identifier: BSD-3-Clause
// Compares the collective calls of the ranks of a node while they begin. The ranks share a mapped table. The first rank that begins
// a call writes a hash of it; the others compare theirs. No rank waits for another. Nothing here depends on MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "foundation/hash.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// A hash of a block of an irregular call.
constexpr std::uint64_t block_hash(Rank from, Rank to, Bytes bytes) {
  const auto ends = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  return bytes == 0 ? 0 : hash_with(ends, static_cast<std::uint64_t>(bytes));
}

class CallChecks {
 public:
  // Maps the table; makes the file if it does not exist. Throws Error{environment}.
  explicit CallChecks(const std::string& path);
  ~CallChecks();
  CallChecks(const CallChecks&) = delete;
  CallChecks& operator=(const CallChecks&) = delete;

  // Returns false if another rank has begun another call with this number on the communicator. `call`: a hash of what must be equal
  // on all ranks; `element`: a number of the basic type, 0 matches all. Communicators that find no place in the table, and calls
  // that are 64 behind another rank's, are not compared.
  bool agrees(std::uint64_t communicator, std::uint64_t number, std::uint32_t call, std::uint8_t element) noexcept;

  // For irregular calls, after `agrees`. `sum`: the sum of block_hash over all blocks that the rank sends, minus that over all
  // blocks that it receives. Returns false on the last one of `ranks` ranks that begins the call, if all sums do not add up to 0:
  // then a block is sent with another size than it is received with. Communicators with ranks on other nodes are not compared.
  bool balances(std::uint64_t communicator, std::uint64_t number, std::uint32_t ranks, std::uint64_t sum) noexcept;

 private:
  struct Table;
  std::size_t place_of(std::uint64_t communicator) noexcept;
  Table* table_;
};

}  // namespace quadrille::mpi_face
