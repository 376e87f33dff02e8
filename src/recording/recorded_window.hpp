// SPDX-License-Identifier: BSD-3-Clause
// Parts of a recorded run that have no more entries than can be shown.
#pragma once

#include "quadrille/recording.hpp"

namespace quadrille::recording {

// A part of the recorded run, in its seconds.
struct RecordedWindow {
  double from_s = 0, to_s = 0;
  Count entries = 0;    // of all ranks, that begin in it
  bool is_cut = false;  // more entries were asked for
};

// Returns the window from `from_s` to `to_s`, or its first part if it has more than `most_entries`. (Entries that begin at the same
// time stay together.)
RecordedWindow window_of(const Recording& recording, double from_s, double to_s, Count most_entries);

}  // namespace quadrille::recording
