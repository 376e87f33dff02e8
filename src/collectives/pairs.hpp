// SPDX-License-Identifier: BSD-3-Clause
// Everything that an irregular exchange has to move, pair by pair, with where it comes from and where it belongs. Made once
// for all ranks by algorithms in which ranks handle what is neither from nor for them.
#pragma once

#include <span>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille {

struct Pair {
  Rank source = 0, target = 0;
  Bytes bytes = 0;          // more than none
  Bytes input_offset = 0;   // at the source
  Bytes output_offset = 0;  // at the target
};

// All pairs, by source, then target.
std::vector<Pair> pairs_of(const Problem& problem);

// The same by target, then source.
class PairsByTarget {
 public:
  explicit PairsByTarget(const Problem& problem);

  std::span<const Pair> all() const { return pairs_; }
  std::span<const Pair> of(Rank target) const;

 private:
  std::vector<Pair> pairs_;
  std::vector<std::size_t> starts_;  // of each target, and the end
};

// Adds a region, which becomes one with the last where both are contiguous and it goes on from there.
void append(Regions& regions, const Region& region);

// The same bytes in the same order, where regions of equal length at equal distances are one that repeats.
Regions folded(const Regions& regions);

// The parameter `grain`: pairs are cut between units of so many bytes.
Parameter grain_parameter();

}  // namespace quadrille
