// SPDX-License-Identifier: BSD-3-Clause
// An allgatherv and a reduce_scatterv: all ranks know all counts. So all ranks find the plan of equal counts, or none does, and the
// plan is kept. It runs on blocks without gaps. A rank's displacements are its own: if there are some, it gets its output in memory
// of its own and copies the blocks to their places, and other ranks do not notice.
#pragma once

#include <memory>
#include <vector>

#include "plan/calls/irregular_blocks.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// The problem of a call. Its memory is kept from call to call.
class KnownCounts {
 public:
  // Valid until the next call.
  const Problem& problem(const IrregularBlocks& blocks);

 private:
  std::shared_ptr<std::vector<Bytes>> counts_;
  Problem problem_;
};

// The output of a plan on blocks without gaps, until the blocks are copied to their places.
class PackedOutput {
 public:
  // Are the blocks already where the caller wants them?
  static bool is_superfluous(const IrregularBlocks& blocks);

  // Local: makes the checks that a call makes of its output. In place, copies this rank's own block. `function` is the function
  // that the program has called.
  void begin(const IrregularBlocks& blocks, std::string_view function);

  std::byte* memory() { return memory_.data(); }
  void unpack() const noexcept;

 private:
  std::vector<std::byte> memory_;
  std::vector<Edges::Receive> blocks_, order_;
};

}  // namespace quadrille
