// SPDX-License-Identifier: BSD-3-Clause
// The number of steps of the clustered exchange for nodes of many sizes (theorem 1), and their cost.
#include <fmt/ranges.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/nodes.hpp"

namespace quadrille::papers {
namespace {

Count step_count(const std::vector<Count>& sizes, const char* specification) {
  return static_cast<Count>(steps_of(make_schedule(on_nodes(sizes), specification)).size());
}

Count between_nodes(const std::vector<Count>& sizes, const char* specification) {
  Count count = 0;
  for (const NodeStep& step : steps_of(make_schedule(on_nodes(sizes), specification))) count += step.between_nodes ? 1 : 0;
  return count;
}

// Returns the share of steps in which a node of the largest size exchanges messages within itself.
double inside_share(const std::vector<Count>& sizes) {
  const Schedule schedule = make_schedule(on_nodes(sizes), "clustered:mode=paper");
  const Count largest = *std::max_element(sizes.begin(), sizes.end());
  const auto node = static_cast<Count>(std::find(sizes.begin(), sizes.end(), largest) - sizes.begin());
  const auto own = [&](Rank rank) { return schedule.problem.nodes[index(rank)] == node; };
  Count inside = 0, all = 0;
  for (const NodeStep& step : steps_of(schedule)) {
    inside += std::any_of(step.delivered.begin(), step.delivered.end(),
                          [&](const auto& pair) { return own(pair.first) && own(pair.second); });
    ++all;
  }
  return ratio(inside, all);
}

void add_sizes(const Making& making, Reproduction& made) {
  Sheet table{.name = "sizes",
              .columns = {"sizes of the nodes", "n p", "as printed", "exchanging", "exchanging, concentrated", "between nodes only",
                          "n (p - n)"}};
  const std::vector<std::vector<Count>> lists{{1, 2, 3},      {2, 2},       {4, 4, 4},    {4, 4, 4, 4, 4, 4}, {3, 3, 3, 2},
                                              {8, 8, 8, 5},   {1, 1, 1, 8}, {4, 3, 2, 1}, {2, 5, 2, 5, 3},    {1, 2, 3, 4, 5, 6},
                                              {16, 16, 12, 4}};
  double above = 0;
  for (const auto& sizes : lists) {
    making.show(fmt::format("nodes of {}", fmt::join(sizes, ", ")));
    const Count n = *std::max_element(sizes.begin(), sizes.end()), p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
    const Count printed = step_count(sizes, "clustered:mode=paper"), exchanging = step_count(sizes, "clustered:mode=exchange");
    table.rows.push_back({fmt::format("{}", fmt::join(sizes, " ")), n * p, printed, exchanging,
                          step_count(sizes, "clustered:mode=exchange,factor=concentrated"), between_nodes(sizes, "clustered"),
                          n * (p - n)});
    made.equal(fmt::format("nodes of {}: steps, n p (theorem 1)", fmt::join(sizes, ", ")), n * p, printed, "theorem 1");
    above = std::max(above, ratio(exchanging, n * p));
  }
  made.at_most("steps if the processors of a node exchange messages, over n p, maximum", 1, above, "theorem 1");
  made.comparisons.push_back(
      {.what = "six nodes of four: share of a largest node's steps that are inefficient, p/n as printed",
       .paper = 6,
       .ours = inside_share({4, 4, 4, 4, 4, 4}),
       .tolerance = 1e-6,
       .finding =
           PaperFinding{
               .level = Outcome::misprint,
               .value = 1.0 / 6,
               .why = "n^2 of the n p steps are a share of n/p, and the same sentence calls them few if p is much larger than n"},
       .place = "section 3, below theorem 1"});
  made.sheets.push_back(std::move(table));
}

void add_growth(Reproduction& made) {
  Sheet growth{.name = "growth",
               .columns = {"nodes", "as printed", "exchanging, concentrated", "between nodes only", "n (p - n)", "n p"}};
  for (Count nodes = 2; nodes <= 12; ++nodes) {
    const std::vector<Count> sizes(index(nodes), 4);
    growth.rows.push_back({nodes, step_count(sizes, "clustered:mode=paper"),
                           step_count(sizes, "clustered:mode=exchange,factor=concentrated"), between_nodes(sizes, "clustered"),
                           4 * (4 * nodes - 4), 4 * 4 * nodes});
  }
  made.panels.push_back({.title = "nodes of four processors",
                         .x_label = "nodes",
                         .y_label = "steps",
                         .sheet = 1,
                         .x = 0,
                         .curves = {{1, "as printed"},
                                    {2, "exchanging, concentrated"},
                                    {3, "between nodes only"},
                                    {4, "n (p - n)", CurveStyle::dashed},
                                    paper_points(5, "n p (theorem 1)")}});
  made.sheets.push_back(std::move(growth));
}

// Compares times in the cluster model. The trivial algorithm posts all messages at once.
void compare_times(Reproduction& made) {
  const MachineCosts myrinet = machine_of_paper("myrinet");
  double least = 1e300;
  for (const auto& sizes :
       std::vector<std::vector<Count>>{{4, 4, 4, 4, 4, 4}, {1, 2, 4, 4, 2, 1}, {4, 1, 4, 1, 4, 1}, {3, 2, 4, 1, 2, 3}}) {
    const auto seconds = [&](const char* specification) {
      return price_of(workload(make_schedule(on_nodes(sizes, 1024), specification), {.nodes = true}), *find_model("cluster"),
                      myrinet)
          .blocking_s;
    };
    least = std::min(least, seconds("direct") / seconds("clustered"));
  }
  made.at_least(
          "six nodes of up to four processors on a network with one port per node: time of the trivial algorithm over ours, "
          "minimum (\"never performs worse\")",
          1, least, "section 4, last paragraph")
      .reason =
      "the paper measured on a Giganet cluster; in the model the trivial algorithm packs its exchanges perfectly, and messages "
      "that meet at a port cost it nothing";
}

Reproduction make_sanders2002_steps(const Making& making) {
  Reproduction made{
      .remarks = {"Theorem 1 also counts the messages that processors send to themselves; a largest node sends n (p - n) messages "
                  "to other nodes. Nodes are ordered by size and then by index; the paper has one symbol for both."}};
  add_sizes(making, made);
  add_growth(made);
  compare_times(made);
  return made;
}

}  // namespace

extern const Exhibit sanders2002_steps{
    .id = "sanders2002-steps",
    .title = "Steps of the clustered exchange",
    .source = "sanders2002, theorem 1 and section 4",
    .about =
        "rounds counted from schedules; the variants \"exchanging\" and \"between nodes only\" are our improvements of the printed "
        "algorithm",
    .make = make_sanders2002_steps,
};

}  // namespace quadrille::papers
