// SPDX-License-Identifier: BSD-3-Clause
// A pair is a source and a target with data to move, and the places of this data in the buffers of both. Algorithms in
// which ranks forward data of other ranks list all pairs once for all ranks.
#pragma once

#include <span>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille {

struct Pair {
  Rank source = 0, target = 0;
  Bytes bytes = 0;          // greater than 0
  Bytes input_offset = 0;   // at the source
  Bytes output_offset = 0;  // at the target
};

// All pairs, ordered by source, then target.
std::vector<Pair> pairs_of(const Problem& problem);

// All pairs, ordered by target, then source.
class PairsByTarget {
 public:
  explicit PairsByTarget(const Problem& problem);

  std::span<const Pair> all() const { return pairs_; }
  std::span<const Pair> of(Rank target) const;

 private:
  std::vector<Pair> pairs_;
  std::vector<std::size_t> starts_;  // index of each target's first pair, and the end
};

// Appends a region, or merges it with the last region if both are contiguous and adjacent.
void append(Regions& regions, const Region& region);

// Returns the same bytes in the same order, with regions of equal length at equal distances merged into one
// strided region.
Regions folded(const Regions& regions);

// The parameter `grain`: data of pairs is cut into units of this many bytes.
Parameter grain_parameter();

}  // namespace quadrille
