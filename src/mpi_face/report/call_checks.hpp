// SPDX-License-Identifier: BSD-3-Clause
// Compares the collective calls of the ranks of a node while they begin. The ranks share a mapped table. The first rank that begins
// a call writes a hash of it; the others compare theirs. No rank waits for another. Nothing here depends on MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace quadrille::mpi_face {

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

 private:
  struct Table;
  std::size_t place_of(std::uint64_t communicator) noexcept;
  Table* table_;
};

}  // namespace quadrille::mpi_face
