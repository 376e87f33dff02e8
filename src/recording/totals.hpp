// SPDX-License-Identifier: BSD-3-Clause
// Sums of a recording: parts of the time, over the whole run and by phase of the run; and windows of the run with at most as many
// entries as can be shown.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "quadrille/recording.hpp"

namespace quadrille::recording {

// Parts of the time of ranks. The parts add up to the time of the run, except for the time that recording took, and for short
// times away.
enum class TimePart : std::uint8_t { computing, away, collectives, point_to_point, making };
inline constexpr std::size_t parts = 5;
using PartSeconds = std::array<double, parts>;

TimePart part_of(RecordedKind kind);  // the part that a call's duration belongs to

// If the share of point-to-point time is larger, a projection gives no verdict.
inline constexpr double most_point_to_point = 0.2;

PartSeconds totals(const RecordedRank& rank, const Recording& recording);
PartSeconds totals(const Recording& recording);              // the sum over all ranks
double share_of(const PartSeconds& seconds, TimePart part);  // the part's share of all seconds

// Sums over all ranks, by site of the recording.
std::vector<RecordedTimes> times_by_site(const Recording& recording);

// A part of the run in which the same sites are called.
struct RunPhase {
  double begin_s = 0, end_s = 0;
  PartSeconds seconds{};             // the parts of the time, mean of the ranks
  std::vector<std::uint32_t> sites;  // the sites whose collectives take the most time, at most four
};

// Cuts the run into `slices` equal parts and joins neighbours that have at least half of their sites in common. Each rank's time
// begins at 0.
std::vector<RunPhase> phases(const Recording& recording, std::size_t slices);

// A part of the recorded run, in its seconds.
struct RecordedWindow {
  double from_s = 0, to_s = 0;
  Count entries = 0;    // the entries of all ranks that begin in the window
  bool is_cut = false;  // the requested window has more entries
};

// Returns the window from `from_s` to `to_s`, or its first part if it has more than `most_entries`. (Entries that begin at the same
// time stay together.)
RecordedWindow window_of(const Recording& recording, double from_s, double to_s, Count most_entries);

}  // namespace quadrille::recording
