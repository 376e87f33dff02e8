// SPDX-License-Identifier: BSD-3-Clause
// Dealing slices out to the ranks of a line of an array [liu2002]: what is for a target is cut between units and goes to them in
// turn.
#pragma once

#include "collectives/slice_passes.hpp"

namespace quadrille {

// Where dealing starts for each target.
enum class Split : std::uint8_t {
  chain,  // where it stopped for the target before: better balanced
  paper,  // at the target's number modulo the length of the line
};

// The parameter `split`.
Parameter split_parameter();
Split split_of(const Parameters& parameters);

// `line`: the ranks in their order; the chain starts at `first`, a position in it. The units of a target, one after the other over
// all of its slices, go to positions in turn; each position takes its units in one run. Units are of `grain` bytes, the last of a
// slice perhaps shorter. `held` is in the order of SliceRoute::deal.
void deal_along(const std::vector<Rank>& line, Count first, Split split, Bytes grain, const std::vector<HeldSlice>& held,
                const SliceRoute::Hand& hand);

}  // namespace quadrille
