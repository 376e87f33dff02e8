// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/by_distance.hpp"

#include <algorithm>

#include "collectives/exchange/timetable.hpp"

namespace quadrille {

Program exchange_by_distance(const Problem& problem, Count window, Rank me) {
  const Count p = problem.ranks;
  const auto slot = [p](Rank from, Rank to) { return from == to ? 0 : (to - from + p) % p - 1; };
  return exchange_by_timetable(problem, {{{"exchange", 0, std::max<Count>(1, ceil_divide(p - 1, window))}}, slot, window}, me);
}

}  // namespace quadrille
