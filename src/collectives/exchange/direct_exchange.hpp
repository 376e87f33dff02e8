// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in which all data goes straight from source to target, for alltoall and alltoallv. An algorithm only supplies a
// timetable, which says when each message is sent, and chooses whether blocks are exchanged in segments.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "patterns/factors.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

struct Timetable {
  std::vector<Stage> stages;  // in order, beginning with round 0
  // The time slot in which `from` sends its data to `to`, or copies it if they are the same rank. A round has
  // `slots_per_round` slots and lists its messages in the order of slots.
  std::function<Count(Rank from, Rank to)> slot;
  Count slots_per_round = 1;
  std::function<std::optional<Port>(Rank from, Rank to)> port = {};  // the port by which a message leaves; empty: any
};

// The cost grows with the number of partners of the rank, not with p.
Program exchange_by_timetable(const Problem& problem, const Timetable& timetable, Rank me);

// The exchange ordered by the distance between source and target: round t holds the messages over distances
// t * window + 1 .. (t + 1) * window. The cost grows with the number of partners of the rank, not with p.
Program exchange_by_distance(const Problem& problem, Count window, Rank me);

// The exchange in the rounds of a 1-factorisation: in each round, every rank exchanges with one other rank
// [sanders2002]. Round i is factor i. The parameter `factor` gives the form of the factors: in which of them ranks keep their own
// data.
Parameter factor_parameter();
one_factor::Form factor_form(const Parameters& parameters);
Program one_factor_exchange(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me);

// alltoall in segments: the first segment of every block is exchanged, then the second segment of every block, and so
// on. Each segment is exchanged by the same algorithm, in stages of its own. With segments, less data is in flight at a time, and
// messages may be short enough for the eager protocol. `generate` returns the program for blocks of any size; each of its regions
// must lie within one block. The parameter `segments` is in 1 .. max(1, elements of a block); the default is 1.
Parameter exchange_segments_parameter();
Program exchange_in_segments(const Problem& problem, const Parameters& parameters,
                             const std::function<Program(const Problem&)>& generate);

}  // namespace quadrille
