// SPDX-License-Identifier: BSD-3-Clause
// Deals slices out to the ranks of a line of an array [liu2002]: the data for each target is cut into units, which go
// to the ranks in turn.
#pragma once

#include "collectives/slices/slice_passes.hpp"

namespace quadrille {

// The position at which dealing starts for each target.
enum class Split : std::uint8_t {
  chain,  // where it stopped for the previous target: better balanced
  paper,  // at the target's number modulo the length of the line
};

// The parameter `split`.
Parameter split_parameter();
Split split_of(const Parameters& parameters);

// Deals to the ranks of `line` in turn, in a circle of `slots` slots, of which slot t belongs to position t modulo the length of
// `line`; `first` is the slot at which the chain starts. For each target, the units of all its slices are counted one after the
// other. Dealing in turn only decides how many units each position gets; the units of a position are then one consecutive run.
// Units have `grain` bytes; the last unit of a slice may be shorter. `held` must be ordered as for SliceRoute::deal.
void deal_along(const std::vector<Rank>& line, Count slots, Count first, Split split, Bytes grain,
                const std::vector<HeldSlice>& held, const SliceRoute::Hand& hand);

}  // namespace quadrille
