// SPDX-License-Identifier: BSD-3-Clause
// Writes a schedule as GOAL (docs/schedule-format.md).
#include "schedule/forms/goal.hpp"

namespace quadrille {

void write_goal(std::ostream& out, const Schedule& schedule, Policy policy) {
  Printer printer(out);
  printer.print("num_ranks {}\n", schedule.problem.ranks);
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    GoalRank written(printer, rank);
    GoalTags tags(0, 1);
    written.run(ordered_for_goal(schedule.program(rank), policy), {}, tags, GoalRank::none);
    written.end();
  }
  printer.flush();
}

}  // namespace quadrille
