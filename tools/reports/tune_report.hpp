// SPDX-License-Identifier: BSD-3-Clause
// The sentences of `tune` about a session: how long it will take, how far it has come, and its results.
#pragma once

#include <string>
#include <vector>

#include "quadrille/tune.hpp"
#include "quadrille/wisdom.hpp"
#include "schedule/ordering.hpp"
#include "support/text.hpp"

namespace quadrille::command {

// Converts ways and their measured times to JSON, alike in all the command's outputs.
inline Json way_json(const Way& way) {
  return {{"algorithm", specification(way.algorithm)},
          {"policy", quadrille::name(way.policy)},
          {"buffers", way.buffers},
          {"executor", quadrille::name(way.executor)}};
}

inline Json timing_json(const Timing& timing) { return MEMBERS_OF(timing, median_s, lower_s, upper_s); }

inline Json way_json(const WisdomEntry& entry) { return joined(way_json(entry.way), timing_json(entry.timing)); }

std::string text_of(const TuneCell& cell);  // "alltoallv spike of 4 KiB"

// Returns the progress line: "alltoallv spike of 4 KiB, cell 12 of 144: repetition 4 of 15 of 5 ways; about 3 min left".
std::string text_of(const TuneProgress& progress);

// Returns a sentence on how many of the cells will be measured, and how long that will take.
std::string plan_text(const TuneOptions& options, std::size_t open, std::size_t cells);

// Returns one line for each collective: the number of cells, in how many of them each algorithm is the fastest, and how many
// times as long the MPI library and the default algorithm take (geometric means).
std::string text_of(const std::vector<TuneResult>& sessions);

Json json_of(const TuneResult& session);

}  // namespace quadrille::command
