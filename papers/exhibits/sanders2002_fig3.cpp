// SPDX-License-Identifier: BSD-3-Clause
// The clustered exchange among three nodes of one, two and three processors, step by step.
#include <fmt/ranges.h>

#include "papers/exhibit.hpp"
#include "papers/exhibits/nodes.hpp"
#include "patterns/node_timetable.hpp"

namespace quadrille::papers {
namespace {

const std::vector<Count> sizes{1, 2, 3};

Schedule clustered(const char* mode) { return make_schedule(on_nodes(sizes), fmt::format("clustered:mode={}", mode)); }

Sheet listing(const Schedule& schedule, const std::string& name) {
  Sheet sheet{.name = name, .columns = {"phase", "step", "operations (" + name + ")", "between nodes"}};
  const std::vector<NodeStep> steps = steps_of(schedule);
  Count phase = 0;
  for (const Stage& stage : schedule.program(0).stages) {
    ++phase;
    for (Count step = 0; step < stage.round_count; ++step) {
      const NodeStep& done = steps[index(stage.first_round + step)];
      sheet.rows.push_back(
          {phase, step + 1, fmt::format("{}", fmt::join(done.operations, "; ")), std::string(done.between_nodes ? "yes" : "no")});
    }
  }
  return sheet;
}

// Counts the pairs that are not delivered after phase 1 although the loop's invariant says so: the pairs with U <= V and l(u)
// < done, in both directions.
Count undelivered(const Schedule& schedule) {
  std::set<std::pair<Rank, Rank>> delivered;
  const std::vector<NodeStep> steps = steps_of(schedule);
  for (Count step = 0; step < schedule.program(0).stages[0].round_count; ++step)
    delivered.insert(steps[index(step)].delivered.begin(), steps[index(step)].delivered.end());
  const std::vector<Rank> firsts{0, 1, 3};  // first processor of each node; sizes ascend, so nodes are already ordered by size
  Count missing = 0;
  for (const Rank u : firsts)
    for (Rank v = u; v < schedule.problem.ranks; ++v) {
      missing += delivered.contains({u, v}) ? 0 : 1;
      missing += u == v || delivered.contains({v, u}) ? 0 : 1;
    }
  return missing;
}

Reproduction make_sanders2002_fig3(const Making&) {
  Reproduction made;
  const Schedule printed = clustered("paper"), exchanging = clustered("exchange");
  made.sheets = {listing(exchanging, "exchange"), listing(printed, "printed")};
  const NodeTimetable timetable(sizes, OwnNode::sends, {.form = one_factor::Form::basic});
  const auto& phases = timetable.phases();
  made.equal("phases", 3, phases.size(), "figure 3, caption");
  for (std::size_t i = 0; i < phases.size(); ++i)
    made.equal(fmt::format("rounds of phase {}", i + 1), 3 - i, phases[i].rounds, "figure 3, caption");
  const std::vector<NodeStep> steps = steps_of(exchanging);
  made.equal("steps if the processors of a node exchange messages", 15, steps.size(), "figure 3, caption");
  made.equal("steps if the processors of a node send one way, as the algorithm is printed", 15, steps_of(printed).size(),
             "figure 3, caption")
      .found(
          Outcome::misprint, 18,
          "section 3 says p n, which is 18; the figure's 15 steps are right if the messages within a node are exchanged as well");
  Count inner = 0, which = 0;
  for (Count step = 0; step < exchanging.program(0).stages[0].round_count; ++step)
    if (!steps[index(step)].between_nodes) ++inner, which = step + 1;
  made.equal("steps of phase 1 without inter-node communication", 1, inner, "figure 3, caption");
  made.equal("number of this step", 6, which, "figure 3, caption");
  made.equal("pairs for which the loop's invariant fails after phase 1 of the algorithm as printed", 0, undelivered(printed),
             "figure 2")
      .found(Outcome::paper_is_wrong, 3,
             "inside a node messages go one way only, so the second half of the invariant holds only if U and V differ");
  return made;
}

}  // namespace

extern const Exhibit sanders2002_fig3{
    .id = "sanders2002-fig3",
    .title = "Clustered exchange among nodes of one, two and three processors",
    .source = "sanders2002, figures 2 and 3",
    .about = "U.a is processor a of node U, = an exchange, > a message within a node, ~ the data that a processor keeps",
    .make = make_sanders2002_fig3,
};

}  // namespace quadrille::papers
