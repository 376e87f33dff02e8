// SPDX-License-Identifier: BSD-3-Clause
// Parts of blocks and their ways.
#pragma once

#include <vector>

#include "flow/hops.hpp"
#include "quadrille/problem.hpp"

namespace quadrille {

// One hop of a part. A step takes what the step `before` brought to the hop's sender; -1: the part's source sends.
struct PartStep {
  std::size_t hop = 0;
  Count before = -1;
  bool operator==(const PartStep&) const = default;
};

struct BlockPart {
  Rank from = 0;
  std::optional<Rank> to;  // nothing: all ranks need it
  Bytes input_offset = 0, output_offset = 0, length = 0;
  std::vector<PartStep> steps;  // a path, or a tree; each step is after the step `before`
};

// Cuts all blocks into parts of nearly equal length; `segments` is the number of parts of a block of mean length. The parts have no
// ways. Blocks that stay at their rank are left out.
std::vector<BlockPart> parts_of_blocks(const Problem& problem, Count segments);

bool spreads_blocks(Collective collective);  // do all ranks need each block?

}  // namespace quadrille
