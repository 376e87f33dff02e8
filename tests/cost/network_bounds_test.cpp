// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Count best_of(const Problem& problem, const Topology& network, Count steps = 400) {
  Count best = 0;
  for (const Bound& bound : network_bounds(problem, links_of(network), {.steps = steps, .grid = network.grid()}))
    best = std::max(best, bound.value);
  return best;
}

// The closed forms of [liu2005, lemma 1], and bisections.
TEST(NetworkBounds, OfAlltoallOnSymmetricNetworksAreTheKnownOnes) {
  for (const char* name : {"ring:7", "ring:8", "torus:4x4", "torus:4x8", "torus:3x5", "torus:4x4x4", "mesh:4x4", "array:6",
                           "hypercube:16", "full:9", "cluster:4x4", "fat-tree:4"}) {
    const Topology network = parse_topology(name);
    EXPECT_GE(best_of(Problem::alltoall(network.ranks(), 840), network), network.exchange_load(840)) << name;
  }
  EXPECT_EQ(best_of(Problem::alltoall(8, 1), Topology::ring(8)), 8);  // p^2 / 8
  EXPECT_EQ(best_of(Problem::alltoall(16, 1), Topology::mesh({4, 4})), 16);
  EXPECT_EQ(best_of(Problem::alltoall(16, 1), Topology::cluster(4, 4)), 48);  // four ranks, twelve others, one link
}

// Two triangles and a thin link between them: the cut is found, and so are the prices.
TEST(NetworkBounds, FindTheThinLinkOfAnIrregularNetwork) {
  const Topology network = parse_edge_list("0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n2 3\n", "triangles");
  const std::vector<Bound> bounds = network_bounds(Problem::alltoall(6, 5), links_of(network), {});
  ASSERT_EQ(bounds.size(), 2u);
  for (const Bound& bound : bounds) EXPECT_EQ(bound.exact, Fraction(45)) << name(bound.certificate.kind);
}

TEST(NetworkBounds, CountCapacities) {
  const char* const text = "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n2 3 1/4\n";
  const std::optional<NetworkLinks> links = links_of(parse_edge_list(text, "triangles"));
  const Problem problem = Problem::alltoall(6, 5);
  const std::vector<Bound> bounds = network_bounds(problem, *links, {});
  ASSERT_EQ(bounds.size(), 2u);
  for (const Bound& bound : bounds) {
    EXPECT_EQ(bound.exact, Fraction(180)) << name(bound.certificate.kind);
    EXPECT_EQ(proved_value(problem, links, bound), bound.exact);
  }
  // Two links of which one is three times as fast: it carries three quarters.
  const NetworkLinks two = links_of(parse_edge_list("0 a 3\na 1 3\n0 b\nb 1\n", "two ways"));
  for (const Bound& bound : network_bounds(Problem::alltoall(2, 8), two, {})) EXPECT_EQ(bound.exact, Fraction(2));
}

// Demands around a ring: every cut allows half of what the flow proves.
TEST(NetworkBounds, ProvesMoreByPricesThanByCuts) {
  const std::vector<Bound> bounds = network_bounds(
      Problem::alltoallv(4, std::vector<Bytes>{0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 9, 9, 0, 0, 0}), links_of(Topology::ring(4)), {});
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_EQ(bounds[0].certificate.kind, BoundKind::flow);
  EXPECT_EQ(bounds[0].exact, Fraction(27, 4)) << "a quarter takes the long way";
  EXPECT_EQ(bounds[1].exact, Fraction(9, 2));
}

// No algorithm of the table has a smaller figure, on any network, and each certificate proves its bound.
TEST(NetworkBounds, HoldForAllAlgorithms) {
  for (const char* topology : {"ring:6", "torus:2x4", "torus:3x3", "mesh:2x3", "hypercube:8", "full:5", "cluster:3x2", "fat-tree:2",
                               "dragonfly:2x2x2", "0 1 1/3\n1 2 2\n2 3\n3 0 1/2\n", "0 a\n1 a 3\n2 b 1/2\n3 b\na b 2\n"}) {
    const bool is_list = std::string_view(topology).find(' ') != std::string_view::npos;
    const Topology network = is_list ? parse_edge_list(topology, "list") : parse_topology(topology);
    const std::optional<NetworkLinks> links = links_of(network);
    for (const Collective collective : all_collectives()) {
      Problem problem = problem_of(collective, network.ranks(), 24);
      problem.grid = network.grid();
      problem.nodes = network.nodes();
      const std::vector<Bound> bounds = network_bounds(problem, *links, {.steps = 40, .grid = network.grid()});
      for (const Bound& bound : bounds) EXPECT_EQ(proved_value(problem, links, bound), bound.exact);
      for (const Algorithm* algorithm : algorithms_for(collective)) {
        const Choice choice = standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        const Bytes counted = link_figures(make_schedule(problem, choice), network).c2_shared;
        for (const Bound& bound : bounds)
          EXPECT_LE(bound.value, counted) << name(collective) << '/' << algorithm->id << ' ' << topology;
      }
    }
  }
}

// Quick bounds look at the links of large networks, too; only of very large ones they do not.
TEST(NetworkBounds, AreFoundQuickly) {
  for (const char* name : {"torus:12x16", "dragonfly:9x4x4"}) {
    const Topology network = parse_topology(name);
    Count best = 0;
    for (const Bound& bound : quick_bounds(Problem::alltoall(network.ranks(), 8), 1, &network))
      if (bound.figure == "c2_shared") best = std::max(best, bound.value);
    EXPECT_GE(best, network.exchange_load(8)) << name;
  }
  const Topology large = Topology::ring(1025);
  for (const Bound& bound : quick_bounds(Problem::alltoall(1025, 8), 1, &large)) EXPECT_NE(bound.figure, "c2_shared");
}

TEST(NetworkBounds, LookAtEachBlockAndRefuseTooMany) {
  EXPECT_THROW(network_bounds(Problem::alltoall(3000, 1), links_of(Topology::ring(3000)), {}), Error);
  EXPECT_TRUE(network_bounds(Problem::barrier(4), links_of(Topology::ring(4)), {}).empty());
  EXPECT_TRUE(network_bounds(Problem::alltoall(4, 0), links_of(Topology::ring(4)), {}).empty());
}

}  // namespace
}  // namespace quadrille
