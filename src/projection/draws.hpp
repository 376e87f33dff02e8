// SPDX-License-Identifier: BSD-3-Clause
// What a projection does not know is drawn at random, and the recording is replayed once for each draw. Both sides have the same
// random numbers wherever they have the same cause: the state of the machine, assumed figures, an algorithm, a call, a gap. So
// the gain of a draw is a difference within one run.
#pragma once

#include <cstdint>
#include <vector>

#include "projection/replay.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

// Standard deviations of ln(real / projected), which were set on the programs of bench/projection.sh that are not held out
// (docs/projection.md).
inline constexpr double common_spread = 0.25;      // of all collectives of a run by both sides, because the machine's state differs
inline constexpr double calibrated_spread = 0.15;  // of a kind of calls on a machine whose residuals were measured

class Draw {
 public:
  // `figures`: how many figures of the machine were assumed. `as_if_calibrated`: as if none were assumed, and as if residuals were
  // measured for the ranks of each call.
  Draw(std::uint64_t seed, std::size_t figures, bool as_if_calibrated = false);

  // The time of calls with this price, divided by the price.
  double factor(const SidePrice& price) const;
  // The same for a single call, which also differs from the other calls by chance. `call`: a number that is equal for both sides.
  double factor(const SidePrice& price, std::uint64_t call) const;

  // True if a rank's gap takes the place of the one before it at the same site. `entry`: the number of the rank's entry.
  bool swaps(Rank rank, Count entry) const;
  double normal(Rank rank, Count entry) const;

 private:
  std::uint64_t seed_;
  double common_;
  std::vector<double> figures_;  // logarithms of their factors, to the base of 2, between -1 and 1
  bool as_if_calibrated_;
};

struct DrawnBands {
  BySide<ProjectedRun> runs;
  Band gain;                // total gain, as a share of the vendor's total
  std::vector<Band> gains;  // gain of each row, in seconds
  double shorter = 0;       // share of the draws in which ours is shorter
  double worthwhile = 0;    // share of the draws in which ours is shorter by `least_gain` or more
};

inline constexpr double least_gain = 0.01;  // a gain of less than this share of a total is not worth mentioning

struct DrawnReplays {
  bool as_if_calibrated = false;   // as in Draw
  Count most_entries = 5'000'000;  // that all draws together replay: some seconds
};

// Replays the recording options.draws times. `replayed` and `rows`: of the replay without a draw, whose values the bands surround.
// Of a long recording the draws replay only the first part, and their differences are scaled to the whole.
DrawnBands drawn_bands(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, const Replayed& replayed,
                       const std::vector<ProjectedRow>& rows, const DrawnReplays& how = {});

}  // namespace quadrille::projection
