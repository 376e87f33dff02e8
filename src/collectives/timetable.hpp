// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in which everything goes straight from source to target, and all that an algorithm says is when: alltoall and
// alltoallv alike.
#pragma once

#include <functional>
#include <vector>

#include "quadrille/algorithm.hpp"

namespace quadrille {

struct Timetable {
  std::vector<Stage> stages;  // one after the other, from round 0
  // When what `from` has for `to` is sent, or copied if they are one. Slots, not rounds: within a round messages stand by slot.
  std::function<Count(Rank from, Rank to)> slot;
  Count slots_per_round = 1;
};

// At a cost of the rank's partners, not of p.
Program exchange_by_timetable(const Problem& problem, const Timetable& timetable, Rank me);

}  // namespace quadrille
