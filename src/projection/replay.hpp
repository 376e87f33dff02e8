// SPDX-License-Identifier: BSD-3-Clause
// Replays a recording: each rank goes through its entries until it has to wait for others in a collective.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "projection/matching.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

using PartTimes = std::array<double, projected_parts>;

// What a rank has done by one side's collectives.
struct RankTimes {
  double now_s = 0;
  PartTimes parts{};  // their sum is now_s
};

// The gaps of a site, of all ranks together: how much they vary.
struct GapSums {
  Count count = 0;
  double sum_s = 0, squares = 0;
};

// Calls that are replayed as recorded, because the calls of other members are not seen.
struct UnmatchedCalls {
  Count calls = 0;
  double seconds = 0;  // of all ranks together
};

struct Replayed {
  BySide<std::vector<RankTimes>> ranks;
  std::vector<GapSums> gaps;              // by site
  std::vector<UnmatchedCalls> unmatched;  // by site
  Count calls = 0;                        // of all members together: matched calls that all have entered
  std::vector<Rank> stuck;                // ranks that wait for calls that never come
  std::vector<Rank> missed;               // ranks whose entries end before a call of others
};

// Both sides in one pass, as fast as the ranks' entries can be read.
Replayed replay(const Recording& recording, const ProjectionOptions& options, CallPrices& prices);

}  // namespace quadrille::projection
