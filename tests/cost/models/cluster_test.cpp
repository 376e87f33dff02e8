// SPDX-License-Identifier: BSD-3-Clause
// The cluster model: the steps of the hierarchical exchanges on nodes with one port and with several.
#include <gtest/gtest.h>

#include <numeric>

#include "quadrille/traffic.hpp"
#include "support/priced.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Problem on_nodes(const std::vector<Count>& sizes, Bytes bytes) {
  Problem problem = Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), bytes);
  for (std::size_t node = 0; node < sizes.size(); ++node)
    problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
  return problem;
}

Coefficients nodes_with_ports(double ports) {
  return {{"startup_us", 1e6},       {"transfer_us_per_byte", 1}, {"inside_startup_us", 0},
          {"inside_us_per_byte", 0}, {"node_ports", ports},       {"matching", 0}};
}

// T = steps (alpha + beta m) if messages within nodes cost nothing: the steps between nodes of the table.
TEST(ClusterModel, PricesTheStepsOfTheHierarchicalExchange) {
  const Coefficients costs = nodes_with_ports(1);
  const std::pair<std::vector<Count>, double> table[] = {{{1, 2, 3}, 11},           {{2, 2}, 4},           {{4, 4, 4}, 48},
                                                         {{4, 4, 4, 4, 4, 4}, 80},  {{3, 3, 3, 2}, 27},    {{8, 8, 8, 5}, 192},
                                                         {{1, 1, 1, 8}, 24},        {{4, 3, 2, 1}, 27},    {{2, 5, 2, 5, 3}, 75},
                                                         {{1, 2, 3, 4, 5, 6}, 100}, {{16, 16, 12, 4}, 640}};
  for (const auto& [sizes, steps] : table)
    EXPECT_NEAR(priced(on_nodes(sizes, 100), "clustered:mode=inter", "cluster", costs), steps * (1e6 + 100), 1e-2) << steps;
}

// Steps of seven nodes of four ranks: as many as with one port if a node has one exchange at a time, fewer if it has
// two.
TEST(ClusterModel, RunsAsManyExchangesAtATimeAsANodeHasPorts) {
  const std::tuple<const char*, double, double> table[] = {{"clustered", 112, 112},
                                                           {"clustered:decomposition=permutations", 96, 96},
                                                           {"clustered:degree=2", 112, 64},
                                                           {"clustered:degree=2,decomposition=permutations", 96, 48},
                                                           {"clustered:adapters=2", 104, 52}};
  for (const auto& [specification, on_one, on_two] : table) {
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(7, 4), 100), specification, "cluster", nodes_with_ports(1)),
                on_one * (1e6 + 100), 1e-2)
        << specification;
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(7, 4), 100), specification, "cluster", nodes_with_ports(2)),
                on_two * (1e6 + 100), 1e-2)
        << specification;
  }
  // Messages are not divided among ports, so the longest one takes its full time. Node 0 sends 100 and 10 bytes, in 2
  // of 3 rounds.
  EXPECT_NEAR(priced(on_nodes({1, 1, 1}, 100), "direct", "cluster", nodes_with_ports(2)), 1e6 + 100, 1e-2);
  EXPECT_NEAR(priced(on_nodes({1, 1, 1, 1}, 100), "direct", "cluster", nodes_with_ports(2)), 2e6 + 150, 1e-2);
  Problem uneven = Problem::alltoallv(3, {{0, 1, 100}, {0, 2, 10}});
  uneven.nodes = {0, 1, 2};
  EXPECT_NEAR(priced(uneven, "direct", "cluster", nodes_with_ports(2)), 1e6 + 100, 1e-2);
}

// In matchings, direct takes as few steps as its exchanges allow, and a message that nobody answers is a step, too. Nodes with two
// ports are in two matchings at a time.
TEST(ClusterModel, PricesMatchingsIfAPortCommunicatesWithOneOtherNode) {
  const std::tuple<std::vector<Count>, const char*, double, double> table[] = {{{1, 2, 3}, "direct", 9, 11},
                                                                               {{1, 2, 3}, "clustered", 11, 11},
                                                                               {{4, 1, 4, 1, 4, 1}, "direct", 44, 48},
                                                                               {{4, 1, 4, 1, 4, 1}, "clustered", 56, 56},
                                                                               {{1, 1, 1}, "shift", 2, 6},
                                                                               {{1, 1, 1}, "clustered", 3, 3}};
  for (const auto& [sizes, specification, full_duplex, in_matchings] : table) {
    Coefficients costs = nodes_with_ports(1);
    EXPECT_NEAR(priced(on_nodes(sizes, 100), specification, "cluster", costs), full_duplex * (1e6 + 100), 1e-2) << specification;
    costs["matching"] = 1;
    EXPECT_NEAR(priced(on_nodes(sizes, 100), specification, "cluster", costs), in_matchings * (1e6 + 100), 1e-2) << specification;
  }
  Coefficients rails = nodes_with_ports(2);
  rails["matching"] = 1;
  EXPECT_NEAR(priced(on_nodes({4, 1, 4, 1, 4, 1}, 100), "direct", "cluster", rails), 24 * (1e6 + 100), 1e-2);
}

// About (N - 1) alpha + beta m n (p - n) for N nodes of n ranks, N even.
TEST(ClusterModel, PricesCombinedMessages) {
  const Coefficients costs = nodes_with_ports(1);
  for (const auto& [nodes, size] : {std::pair<Count, Count>{2, 3}, {4, 4}, {6, 2}}) {
    const Count p = nodes * size;
    EXPECT_NEAR(priced(on_nodes(std::vector<Count>(static_cast<std::size_t>(nodes), size), 10), "combined", "cluster", costs),
                static_cast<double>(nodes - 1) * 1e6 + static_cast<double>(10 * size * (p - size)), 1e-2);
  }
}

TEST(ClusterModel, ChargesMessagesWithinNodesOnlyIfNothingElseHappens) {
  const Coefficients costs{{"startup_us", 0},         {"transfer_us_per_byte", 0}, {"inside_startup_us", 1e6},
                           {"inside_us_per_byte", 1}, {"node_ports", 1},           {"matching", 0}};
  // Two nodes of four ranks: three rounds of the last stage are within nodes.
  EXPECT_NEAR(priced(on_nodes({4, 4}, 10), "clustered:mode=inter", "cluster", costs), 3 * (1e6 + 10), 1e-2);
  const Workload flat = workload(make_schedule(Problem::alltoall(4, 1), "shift"), {.nodes = true});
  EXPECT_NE(applies(*find_model("cluster"), flat).error().find("--node-sizes"), std::string::npos);
}

}  // namespace
}  // namespace quadrille
