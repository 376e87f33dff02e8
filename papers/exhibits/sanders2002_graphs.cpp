// SPDX-License-Identifier: BSD-3-Clause
// The clustered exchange with other decompositions of the graph of nodes: into permutations, and into graphs of a
// given degree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/nodes.hpp"

namespace quadrille::papers {
namespace {

using Sizes = std::vector<Count>;

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

Reproduction make_sanders2002_graphs(const Making& making) {
  Reproduction made{
      .remarks = {"With permutations a node sends to one node and receives from another. This needs a port that sends and receives "
                  "at the same time. A node of degree k communicates with k other nodes at a time. On nodes of four, a processor "
                  "communicates with one of them if k is at most 4 with permutations, or at most 2 with matchings; for larger k it "
                  "communicates with two. Adapters divide a node's processors into nodes of their own. Then every processor has "
                  "one message at a time, but there are additional steps between the adapters of a node."}};
  Sheet table{.name = "sizes",
              .columns = {"sizes of the nodes", "matchings", "permutations", "n (p - n)", "matchings of degree 2",
                          "permutations of degree 2", "two adapters per node"}};
  const std::vector<Sizes> lists{{1, 2, 3},    {2, 2},       {4, 4, 4},       {4, 4, 4, 4, 4, 4}, {3, 3, 3, 2},   {8, 8, 8, 5},
                                 {1, 1, 1, 8}, {4, 3, 2, 1}, {2, 5, 2, 5, 3}, {1, 2, 3, 4, 5, 6}, {16, 16, 12, 4}};
  Count other_than_printed = 0, other_than_least = 0;
  double saved = 0;
  for (const Sizes& sizes : lists) {
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
      .is_reading = true;
  made.equal(
          "number of lists of sizes for which permutations do not take n (p - n) steps between nodes, the number of messages that "
          "a largest node has for others",
          0, other_than_least, "section 3, last paragraph")
      .is_reading = true;
  made.remarks.push_back(
      fmt::format("For these lists of sizes, matchings take up to {:.3g} times as many steps as permutations.", saved));
  const Sizes seven(7, 4), eight(8, 4);
  for (const Count degree : {2, 3, 6})
    made.equal(fmt::format("seven nodes of four, permutations, k = {}: steps, n (p - n) / k ({})", degree, quotation),
               4.0 * (28 - 4) / Number(degree), steps_between(seven, fmt::format("decomposition=permutations,degree={}", degree)),
               "section 3, last paragraph")
        .is_reading = true;
  made.equal(fmt::format("eight nodes of four, matchings, k = 7: steps, n (p - n) / k ({})", quotation), 4.0 * (32 - 4) / 7,
             steps_between(eight, "degree=7"), "section 3, last paragraph")
      .is_reading = true;

  Sheet growth{.name = "growth",
               .columns = {"nodes", "matchings", "permutations", "matchings of degree 2", "permutations of degree 2",
                           "two adapters per node"}};
  for (Count nodes = 3; nodes <= 13; ++nodes) {
    const Sizes sizes(index(nodes), 4);
    growth.rows.push_back({nodes, steps_between(sizes, "mode=inter"), steps_between(sizes, "decomposition=permutations"),
                           steps_between(sizes, "degree=2"), steps_between(sizes, "decomposition=permutations,degree=2"),
                           steps_between(sizes, "adapters=2")});
  }
  made.sheets = {std::move(table), std::move(growth)};
  made.panels.push_back({.title = "nodes of four processors",
                         .x_label = "nodes",
                         .y_label = "steps between nodes",
                         .sheet = 1,
                         .x = 0,
                         .curves = {{1, "matchings"},
                                    {2, "permutations"},
                                    {3, "matchings of degree 2", CurveStyle::dashed},
                                    {4, "permutations of degree 2", CurveStyle::dashed},
                                    {5, "two adapters per node", CurveStyle::dashed}}});
  return made;
}

}  // namespace

extern const Exhibit sanders2002_graphs{
    .id = "sanders2002-graphs",
    .title = "Clustered exchange by permutations and by graphs of a given degree",
    .source = "sanders2002, section 3",
    .about = "rounds between nodes counted from schedules; the paper names these decompositions and gives no numbers for them",
    .make = make_sanders2002_graphs,
};

}  // namespace quadrille::papers
