// SPDX-License-Identifier: BSD-3-Clause
// The steps of the clustered exchange of [sanders2002] among nodes: one by one, their number, and with other decompositions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "patterns/node_timetable.hpp"

namespace quadrille::papers {
namespace {

using Sizes = std::vector<Count>;  // numbers of processors of the nodes

const std::vector<Sizes> node_lists{{1, 2, 3},    {2, 2},       {4, 4, 4},       {4, 4, 4, 4, 4, 4}, {3, 3, 3, 2},   {8, 8, 8, 5},
                                    {1, 1, 1, 8}, {4, 3, 2, 1}, {2, 5, 2, 5, 3}, {1, 2, 3, 4, 5, 6}, {16, 16, 12, 4}};

// One step in words: "1.0=2.1" is an exchange between processor 0 of node 1 and processor 1 of node 2, "1.0>1.1" a
// message within node 1, and "1.1~1.1" the data that a processor keeps.
struct NodeStep {
  std::set<std::string> operations;
  bool between_nodes = false;
  std::set<std::pair<Rank, Rank>> delivered;  // pairs (from, to)
};

std::vector<NodeStep> steps_of(const Schedule& schedule) {
  std::vector<Count> first_rank;
  const std::vector<Count>& nodes = schedule.problem.nodes;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (index(nodes[index(rank)]) == first_rank.size()) first_rank.push_back(rank);
  const auto node_of = [&](Rank rank) { return nodes[index(rank)]; };
  const auto label = [&](Rank rank) { return fmt::format("{}.{}", node_of(rank), rank - first_rank[index(node_of(rank))]); };
  std::vector<NodeStep> steps;
  for (const Stage& stage : schedule.program(0).stages)
    steps.resize(std::max(steps.size(), index(stage.first_round + stage.round_count)));
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      NodeStep& step = steps[index(round.number)];
      if (!round.locals.empty()) {
        step.operations.insert(label(rank) + "~" + label(rank));
        step.delivered.insert({rank, rank});
      }
      for (const Message& message : round.sends) {
        const bool both = !round.receives.empty() && round.receives[0].peer == message.peer;
        if (!both || rank < message.peer) step.operations.insert(label(rank) + (both ? "=" : ">") + label(message.peer));
        step.between_nodes = step.between_nodes || node_of(rank) != node_of(message.peer);
        step.delivered.insert({rank, message.peer});
      }
    }
  return steps;
}

// The clustered exchange among three nodes of one, two and three processors, step by step.

const Sizes three_nodes{1, 2, 3};

Schedule clustered(const char* mode) { return make_schedule(on_nodes(three_nodes), fmt::format("clustered:mode={}", mode)); }

void add_listing(const Schedule& schedule, const std::string& name, Reproduction& made) {
  Sheet& sheet = made.add_sheet({.name = name, .columns = {"phase", "step", "operations (" + name + ")", "between nodes"}});
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
}

// By the loop's invariant the pairs with U <= V and l(u) < done are delivered after phase 1, in both directions. Counts those
// that are not.
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
  add_listing(exchanging, "exchange", made);
  add_listing(printed, "printed", made);
  const NodeTimetable timetable(three_nodes, OwnNode::sends, {.form = one_factor::Form::basic});
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

// The number of steps of the clustered exchange for nodes of many sizes (theorem 1), and their cost.

Count step_count(const Sizes& sizes, const char* specification) {
  return static_cast<Count>(steps_of(make_schedule(on_nodes(sizes), specification)).size());
}

Count between_nodes(const Sizes& sizes, const char* specification) {
  Count count = 0;
  for (const NodeStep& step : steps_of(make_schedule(on_nodes(sizes), specification))) count += step.between_nodes ? 1 : 0;
  return count;
}

// Returns in how many steps a node of the largest size exchanges messages within itself: the maximum over these nodes.
Count most_inside(const Sizes& sizes) {
  const Schedule schedule = make_schedule(on_nodes(sizes), "clustered:mode=paper");
  const Count largest = *std::max_element(sizes.begin(), sizes.end());
  const std::vector<NodeStep> steps = steps_of(schedule);
  Count most = 0;
  for (Count node = 0; node < static_cast<Count>(sizes.size()); ++node) {
    if (sizes[index(node)] != largest) continue;
    const auto own = [&](Rank rank) { return schedule.problem.nodes[index(rank)] == node; };
    most = std::max(most, std::count_if(steps.begin(), steps.end(), [&](const NodeStep& step) {
                      return std::any_of(step.delivered.begin(), step.delivered.end(),
                                         [&](const auto& pair) { return own(pair.first) && own(pair.second); });
                    }));
  }
  return most;
}

void add_sizes(const Making& making, Reproduction& made) {
  Sheet& table = made.add_sheet({.name = "sizes",
                                 .columns = {"sizes of the nodes", "n p", "as printed", "exchanging", "exchanging, concentrated",
                                             "between nodes only", "least by matchings", "n (p - n)"}});
  double above = 0;
  Count not_few = 0, printed_above = 0, ours_above = 0, saved = 0;
  for (const Sizes& sizes : node_lists) {
    making.show(fmt::format("nodes of {}", fmt::join(sizes, ", ")));
    const Count n = *std::max_element(sizes.begin(), sizes.end()), p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
    const Count printed = step_count(sizes, "clustered:mode=paper"), exchanging = step_count(sizes, "clustered:mode=exchange");
    const Count between = between_nodes(sizes, "clustered"), least = least_exchange_steps(sizes);
    const Count concentrated = step_count(sizes, "clustered:mode=exchange,factor=concentrated");
    table.rows.push_back(
        {fmt::format("{}", fmt::join(sizes, " ")), n * p, printed, exchanging, concentrated, between, least, n * (p - n)});
    saved += concentrated < exchanging ? 1 : 0;
    not_few += most_inside(sizes) <= n * n ? 0 : 1;
    printed_above += printed <= least + n * n ? 0 : 1;
    ours_above += between <= least + n * n ? 0 : 1;
    made.equal(fmt::format("nodes of {}: steps, n p (theorem 1)", fmt::join(sizes, ", ")), n * p, printed, "theorem 1");
    above = std::max(above, ratio(exchanging, n * p));
  }
  made.at_most("steps if the processors of a node exchange messages, over n p, maximum", 1, above, "theorem 1");
  constexpr const char* additive =
      "\"The algorithm is simple and optimal up to an additive term\", \"bounded by the time needed for data exchange inside a "
      "node\"";
  made.equal(fmt::format("lists of sizes for which the printed algorithm takes more steps than the least number of matchings and "
                         "the n^2 of the exchange inside a node ({})",
                         additive),
             0, printed_above, "abstract and section 1");
  made.equal("the same for the steps between nodes only, in which messages inside nodes take no step", 0, ours_above,
             "abstract and section 1");
  made.at_least(
      "lists of sizes for which concentrated self-loops save steps (\"Since local data exchange is faster this is often "
      "advantageous\")",
      1, saved, "section 2");
  made.equal("lists of sizes for which more than n^2 steps of a largest node are inefficient (\"At most n^2 of these steps\")", 0,
             not_few, "section 3, below theorem 1");
  made.equal("six nodes of four: share of a largest node's steps that are inefficient, p/n as printed", 6,
             ratio(most_inside({4, 4, 4, 4, 4, 4}), 96), "section 3, below theorem 1")
      .within(1e-6)
      .found(Outcome::misprint, 1.0 / 6,
             "n^2 of the n p steps are a share of n/p, and the same sentence calls them few if p is much larger than n");
}

void add_growth(Reproduction& made) {
  Sheet& growth = made.add_sheet(
      {.name = "growth", .columns = {"nodes", "as printed", "exchanging, concentrated", "between nodes only", "n (p - n)", "n p"}});
  for (Count nodes = 2; nodes <= 12; ++nodes) {
    const Sizes sizes(index(nodes), 4);
    growth.rows.push_back({nodes, step_count(sizes, "clustered:mode=paper"),
                           step_count(sizes, "clustered:mode=exchange,factor=concentrated"), between_nodes(sizes, "clustered"),
                           4 * (4 * nodes - 4), 4 * 4 * nodes});
  }
  made.add_panel({.title = "nodes of four processors",
                  .x_label = "nodes",
                  .y_label = "steps",
                  .curves = {{1, "as printed"},
                             {2, "exchanging, concentrated"},
                             {3, "between nodes only"},
                             {4, "n (p - n)", CurveStyle::dashed},
                             paper_points(5, "n p (theorem 1)")}});
}

Reproduction make_sanders2002_steps(const Making& making) {
  Reproduction made{
      .remarks = {"Theorem 1 also counts the messages that processors send to themselves; a largest node sends n (p - n) messages "
                  "to other nodes. Nodes are ordered by size and then by index; the paper has one symbol for both.",
                  "The least number of matchings is the larger of two bounds: the exchanges of the busiest node, and those within "
                  "an odd number m of nodes over (m - 1)/2, as many as they have at a time."}};
  add_sizes(making, made);
  add_growth(made);
  return made;
}

// The clustered exchange with other decompositions of the graph of nodes: into permutations, and into graphs of a
// given degree.

// Returns the steps between nodes. Messages within nodes have a stage of their own at the end.
Count steps_between(const Sizes& sizes, const std::string& parameters) {
  return make_schedule(on_nodes(sizes), "clustered:" + parameters).program(0).stages.back().first_round;
}

Count all_steps(const Sizes& sizes, const std::string& parameters) {
  const Stage last = make_schedule(on_nodes(sizes), "clustered:" + parameters).program(0).stages.back();
  return last.first_round + last.round_count;
}

constexpr const char* quotation =
    "\"The same basic scheme applies if the complete graph is decomposed into graphs with degrees at most k or into permutations "
    "(directed cycles)\"";

void compare_degrees(Reproduction& made) {
  const Sizes seven(7, 4), eight(8, 4);
  for (const Count degree : {2, 3, 6})
    made.equal(fmt::format("seven nodes of four, permutations, k = {}: steps, n (p - n) / k ({})", degree, quotation),
               4.0 * (28 - 4) / Number(degree), steps_between(seven, fmt::format("decomposition=permutations,degree={}", degree)),
               "section 3, last paragraph")
        .reading();
  made.equal(fmt::format("eight nodes of four, matchings, k = 7: steps, n (p - n) / k ({})", quotation), 4.0 * (32 - 4) / 7,
             steps_between(eight, "degree=7"), "section 3, last paragraph")
      .reading();
}

void add_growth_by_decomposition(Reproduction& made) {
  Sheet& growth = made.add_sheet({.name = "growth",
                                  .columns = {"nodes", "matchings", "permutations", "matchings of degree 2",
                                              "permutations of degree 2", "two adapters per node"}});
  for (Count nodes = 3; nodes <= 13; ++nodes) {
    const Sizes sizes(index(nodes), 4);
    growth.rows.push_back({nodes, steps_between(sizes, "mode=inter"), steps_between(sizes, "decomposition=permutations"),
                           steps_between(sizes, "degree=2"), steps_between(sizes, "decomposition=permutations,degree=2"),
                           steps_between(sizes, "adapters=2")});
  }
  made.add_panel({.title = "nodes of four processors",
                  .x_label = "nodes",
                  .y_label = "steps between nodes",
                  .curves = {{1, "matchings"},
                             {2, "permutations"},
                             {3, "matchings of degree 2", CurveStyle::dashed},
                             {4, "permutations of degree 2", CurveStyle::dashed},
                             {5, "two adapters per node", CurveStyle::dashed}}});
}

Reproduction make_sanders2002_graphs(const Making& making) {
  Reproduction made{
      .remarks = {"With permutations a node sends to one node and receives from another. This needs a port that sends and receives "
                  "at the same time. A node of degree k communicates with k other nodes at a time. On nodes of four, a processor "
                  "communicates with one of them if k is at most 4 with permutations, or at most 2 with matchings; for larger k it "
                  "communicates with two. Adapters divide a node's processors into nodes of their own. Then every processor has "
                  "one message at a time, but there are additional steps between the adapters of a node."}};
  Sheet& table = made.add_sheet({.name = "sizes",
                                 .columns = {"sizes of the nodes", "matchings", "permutations", "n (p - n)",
                                             "matchings of degree 2", "permutations of degree 2", "two adapters per node"}});
  Count other_than_printed = 0, other_than_least = 0;
  double saved = 0;
  for (const Sizes& sizes : node_lists) {
    making.show(fmt::format("nodes of {}", fmt::join(sizes, ", ")));
    const Count n = *std::max_element(sizes.begin(), sizes.end()), p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
    const Count matchings = steps_between(sizes, "mode=inter"), permutations = steps_between(sizes, "decomposition=permutations");
    const auto two_at_a_time = [&](const char* decomposition) -> Cell {
      if (sizes.size() < 3) return std::monostate{};  // there is only one other node, so a degree of 2 is not possible
      return steps_between(sizes, fmt::format("decomposition={},degree=2", decomposition));
    };
    table.rows.push_back({fmt::format("{}", fmt::join(sizes, " ")), matchings, permutations, n * (p - n),
                          two_at_a_time("matchings"), two_at_a_time("permutations"), steps_between(sizes, "adapters=2")});
    other_than_printed += all_steps(sizes, "mode=paper,decomposition=permutations") == n * p ? 0 : 1;
    other_than_least += permutations == n * (p - n) ? 0 : 1;
    saved = std::max(saved, ratio(matchings, permutations));
  }
  made.equal(fmt::format("number of lists of sizes for which permutations as printed do not take the n p steps of theorem 1 ({})",
                         quotation),
             0, other_than_printed, "section 3, last paragraph")
      .reading();
  made.equal(
          "number of lists of sizes for which permutations do not take n (p - n) steps between nodes, the number of messages that "
          "a largest node has for others",
          0, other_than_least, "section 3, last paragraph")
      .reading();
  made.remarks.push_back(
      fmt::format("For these lists of sizes, matchings take up to {:.3g} times as many steps as permutations.", saved));
  compare_degrees(made);
  add_growth_by_decomposition(made);
  return made;
}

}  // namespace

extern const Exhibit sanders2002_fig3{
    .title = "Clustered exchange among nodes of one, two and three processors",
    .source = "sanders2002, figures 2 and 3",
    .about = "U.a is processor a of node U, = an exchange, > a message within a node, ~ the data that a processor keeps",
    .make = make_sanders2002_fig3,
};

extern const Exhibit sanders2002_steps{
    .title = "Steps of the clustered exchange",
    .source = "sanders2002, theorem 1 and section 3",
    .about =
        "rounds counted from schedules; the variants \"exchanging\" and \"between nodes only\" are our improvements of the printed "
        "algorithm",
    .make = make_sanders2002_steps,
};

extern const Exhibit sanders2002_graphs{
    .title = "Clustered exchange by permutations and by graphs of a given degree",
    .source = "sanders2002, section 3",
    .about = "rounds between nodes counted from schedules; the paper names these decompositions and gives no numbers for them",
    .make = make_sanders2002_graphs,
};

}  // namespace quadrille::papers
