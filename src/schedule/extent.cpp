// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/extent.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "problem/limits.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count largest = std::numeric_limits<Count>::max();

// How many ranks each representative stands for.
std::vector<Count> orbit_sizes(const Schedule& schedule) {
  const std::vector<Rank>& representatives = schedule.symmetry->representatives;
  if (representatives.size() == 1) return {schedule.problem.ranks};
  check_limit(schedule.problem, schedule.problem.ranks, most_programs, "programs");
  std::vector<Count> sizes(representatives.size(), 0);
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    const auto found = std::find(representatives.begin(), representatives.end(), schedule.symmetry->representative_of(rank));
    ++sizes[index(found - representatives.begin())];
  }
  return sizes;
}

}  // namespace

void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit) {
  if (by_symmetry && schedule.symmetry) {
    const std::vector<Count> sizes = orbit_sizes(schedule);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (!visit(schedule.program(schedule.symmetry->representatives[i]), sizes[i])) return;
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
