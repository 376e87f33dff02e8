// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/forms/goal.hpp"

#include <limits>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

Count GoalTags::next(Count& before) {
  const Count tag = first_ + step_ * before++;
  // The readers take the largest number as "any tag".
  if (tag >= std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::too_large, "a pair of ranks has more messages than GOAL has tags, 2^32");
  return tag;
}

OrderedProgram ordered_for_goal(Program program, Policy policy) {
  OrderedProgram ordered{.program = in_posting_order(std::move(program)), .graph = {}, .order = {}};
  ordered.graph = policy == Policy::blocking ? DependenceGraph{operations(ordered.program), {}} : dependences(ordered.program);
  ordered.order = ordering(ordered.program, ordered.graph, policy);
  return ordered;
}

GoalRank::Label GoalRank::calc(Count nanoseconds, std::span<const Label> after) {
  out_.print("l{}: calc {}\n", ++last_, nanoseconds);
  for (const Label label : after)
    if (label != none) out_.print("l{} requires l{}\n", last_, label);
  return last_;
}

GoalRank::Label GoalRank::run(const OrderedProgram& ordered, std::span<const Rank> members, GoalTags& tags, Label after) {
  const auto& [program, graph, order] = ordered;
  if (order.steps.empty()) return after;
  const Label first = last_ + 1;
  for (const Ordering::Step& step : order.steps) {
    if (step.kind == Ordering::Kind::gate || step.kind == Ordering::Kind::local) {
      out_.print("l{}: calc 0\n", ++last_);
      continue;
    }
    const Message& message = graph.message(program, step.operation);
    const Rank peer = members.empty() ? message.peer : members[index(message.peer)];
    const bool sends = step.kind == Ordering::Kind::send;
    out_.print("l{}: {} {}b {} {} tag {}\n", ++last_, sends ? "send" : "recv", bytes(message.regions), sends ? "to" : "from", peer,
               sends ? tags.of_send(peer) : tags.of_receive(peer));
  }
  std::vector<bool> waits(order.steps.size(), false), is_waited_for(order.steps.size(), false);
  for (const Ordering::Edge& edge : order.edges) {
    out_.print("l{} requires l{}\n", first + static_cast<Count>(edge.to), first + static_cast<Count>(edge.from));
    waits[edge.to] = is_waited_for[edge.from] = true;
  }
  if (after != none)
    for (std::size_t i = 0; i < waits.size(); ++i)
      if (!waits[i]) out_.print("l{} requires l{}\n", first + static_cast<Count>(i), after);
  std::vector<Label> ends;
  for (std::size_t i = 0; i < is_waited_for.size(); ++i)
    if (!is_waited_for[i]) ends.push_back(first + static_cast<Count>(i));
  return ends.size() == 1 ? ends.front() : calc(0, ends);
}

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
