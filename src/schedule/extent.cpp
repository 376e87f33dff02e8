// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/extent.hpp"

#include <limits>

#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

}  // namespace

void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit) {
  if (by_symmetry && schedule.symmetry) {
    const std::vector<Rank>& representatives = schedule.symmetry->representatives();
    for (const Rank rank : representatives)
      if (!visit(schedule.program(rank), schedule.problem.ranks / size(representatives))) return;
    return;
  }
  check_limit(schedule.problem, schedule.problem.ranks, most_programs, "programs");
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (!visit(schedule.program(rank), 1)) return;
}

Count operation_count(const Program& program) {
  std::size_t count = 0;
  for (const Round& round : program.rounds)
    count += 1 + round.locals.size() + round.sends.size() + round.receives.size() + round.control_sends.size() +
             round.control_receives.size();
  return static_cast<Count>(count);
}

Count operation_count(const Schedule& schedule, Count most) {
  Count count = 0;
  for_each_program(schedule, true, [&](const Program& program, Count ranks) {
    count = checked_sum(count, times_at_most(ranks, operation_count(program), largest)).value_or(largest);
    return count <= most;
  });
  return count;
}

}  // namespace quadrille
