// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in which all data goes straight from source to target, for alltoall and alltoallv. An algorithm only has to
// say when each message is sent.
#pragma once

#include <functional>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille {

struct Timetable {
  std::vector<Stage> stages;  // in order, beginning with round 0
  // The time slot in which `from` sends its data to `to`, or copies it if they are the same rank. A round has
  // `slots_per_round` slots and lists its messages in the order of slots.
  std::function<Count(Rank from, Rank to)> slot;
  Count slots_per_round = 1;
};

// The cost grows with the number of partners of the rank, not with p.
Program exchange_by_timetable(const Problem& problem, const Timetable& timetable, Rank me);

}  // namespace quadrille
