// SPDX-License-Identifier: BSD-3-Clause
// How schedules load links: claims of the literature, and bounds that hold for every schedule.
#include <gtest/gtest.h>

#include <set>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

LinkFigures figures_on(const std::string& topology, Collective collective, const std::string& specification, Bytes block_bytes = 1,
                       Rank root = 0) {
  const Topology network = parse_topology(topology);
  return link_figures(make_schedule(problem_of(collective, network.ranks(), block_bytes, root), specification), network);
}

// E-cube routing, starting with the lowest bit and with the highest.
TEST(LinkFigures, PairwiseExchangeIsFreeOfContentionOnHypercubes) {
  for (Count p = 2; p <= 128; p *= 2)
    for (const std::string order : {"", ",last"})
      for (const char* specification : {"xor", "shift", "hypercube"})
        EXPECT_EQ(figures_on(fmt::format("hypercube:{}{}", p, order), Collective::alltoall, specification).sharing, 1)
            << specification << p << order;
}

TEST(LinkFigures, PairwiseExchangeSharesLinksOfRings) {
  for (const auto& [p, by_xor, by_shift] :
       std::vector<std::tuple<Count, Count, Count>>{{8, 15, 16}, {16, 57, 64}, {64, 869, 1024}}) {
    EXPECT_EQ(figures_on(fmt::format("ring:{}", p), Collective::alltoall, "xor").c2_shared, by_xor);
    EXPECT_EQ(figures_on(fmt::format("ring:{}", p), Collective::alltoall, "shift").c2_shared, by_shift);
    EXPECT_EQ(figures_on(fmt::format("ring:{}", p), Collective::alltoall, "ring").c2_shared, p * (p - 1) / 2);
    EXPECT_EQ(figures_on(fmt::format("ring:{}", p), Collective::alltoall, "torus", 8).c2_shared, p * p);
  }
}

TEST(LinkFigures, AreRefusedIfTheyWouldOverflow) {
  EXPECT_EQ(figures_on("ring:4", Collective::alltoall, "direct", Bytes{1} << 57).c2_shared, Bytes{3} << 57);
  EXPECT_THROW(figures_on("ring:64", Collective::alltoall, "direct", Bytes{1} << 54), Error);  // overflow within one round
  EXPECT_THROW(figures_on("ring:64", Collective::alltoall, "shift", Bytes{1} << 54), Error);  // overflow in the sum over the rounds
}

TEST(LinkFigures, AllgatherOfHypercubesSharesLinksOfRingsAndArrays) {
  for (const Count p : {4, 8, 16, 64})
    for (const char* kind : {"ring", "array"}) {
      const LinkFigures figures = figures_on(fmt::format("{}:{}", kind, p), Collective::allgather, "recursive-doubling");
      EXPECT_EQ(figures.c2_shared, (p * p - 1) / 3) << kind << p;
      EXPECT_EQ(figures.sharing, p / 2);
      EXPECT_EQ(figures_on(fmt::format("{}:{}", kind, p), Collective::allgather, "ring").sharing, 1) << "the way back is free";
    }
}

TEST(LinkFigures, TreesAreFreeOfContention) {
  for (const Count p : {8, 16, 32})
    for (const char* kind : {"hypercube", "ring", "array"})
      for (const Rank root : {Rank{0}, Rank{5}, p - 1})
        for (const Collective collective : {Collective::broadcast, Collective::scatter, Collective::gather})
          EXPECT_EQ(figures_on(fmt::format("{}:{}", kind, p), collective, "binomial", 1, root).sharing, 1)
              << name(collective) << ' ' << kind << p << " root " << root;
}

// Holds on rings of any size and for every root. Trees number the ranks relative to the root.
TEST(LinkFigures, TreesAreFreeOfContentionOnAllRings) {
  for (Count p = 2; p < 40; ++p)
    for (const Rank root : {Rank{0}, Rank{1}, p / 2, p - 1})
      EXPECT_EQ(figures_on(fmt::format("ring:{}", p), Collective::broadcast, "binomial", 1, root).sharing, 1)
          << p << " root " << root;
}

// On a mesh whose sides are powers of two, a tree first uses the dimension of the rows and then that of the columns:
// log2 p steps in all.
TEST(LinkFigures, TreesAreFreeOfContentionOnMeshes) {
  for (const std::string topology : {"mesh:4x4", "mesh:4x8", "mesh:8x8", "torus:8x4"})
    for (const Rank root : {0, 5, 10})
      for (const Collective collective : {Collective::broadcast, Collective::scatter, Collective::gather, Collective::reduce})
        EXPECT_EQ(figures_on(topology, collective, "binomial", 8, root).sharing, 1)
            << name(collective) << ' ' << topology << " root " << root;
}

TEST(LinkFigures, RingAlgorithmsShareNoLinkOfRingsAndArrays) {
  for (const Count p : {2, 5, 8, 13})
    for (const char* kind : {"ring", "array"}) {
      const std::string network = fmt::format("{}:{}", kind, p);
      EXPECT_EQ(figures_on(network, Collective::allgather, "ring"), (LinkFigures{1, p - 1})) << network;
      EXPECT_EQ(figures_on(network, Collective::reduce_scatter, "ring", 8), (LinkFigures{1, 8 * (p - 1)})) << network;
      EXPECT_EQ(figures_on(network, Collective::alltoall, "ring"), (LinkFigures{1, p * (p - 1) / 2})) << network;
    }
}

// log2 p steps along the dimensions of the hypercube: p - 1 words for an allgather, p/2 log2 p for an alltoall.
TEST(LinkFigures, DimensionByDimensionIsFreeOfContentionOnHypercubes) {
  for (Count p = 2, d = 1; p <= 64; p *= 2, ++d)
    for (const std::string order : {"", ",last"}) {
      const std::string network = fmt::format("hypercube:{}{}", p, order);
      EXPECT_EQ(figures_on(network, Collective::allgather, "recursive-doubling"), (LinkFigures{1, p - 1})) << network;
      EXPECT_EQ(figures_on(network, Collective::alltoall, "hypercube"), (LinkFigures{1, p / 2 * d})) << network;
      EXPECT_EQ(figures_on(network, Collective::allreduce, "recursive-doubling", 8), (LinkFigures{1, 8 * d})) << network;
    }
}

TEST(LinkFigures, StoreAndForwardKeepsToNeighboursOnMeshes) {
  for (const auto& [topology, rows] : {std::pair("torus:4x5", 4), {"mesh:4x5", 4}, {"mesh:3x3", 3}})
    EXPECT_EQ(figures_on(topology, Collective::alltoall, fmt::format("mesh:rows={}", rows)).sharing, 1) << topology;
}

// Receivers spread over the switches of a fat tree and over parallel cables between two switches, upwards and
// downwards.
TEST(LinkFigures, ShiftsAreFreeOfContentionOnFatTrees) {
  const auto tree = [](const char* parameters, Count ranks) {
    return parse_platform(fmt::format("<cluster topology='FAT_TREE' topo_parameters='{}' radical='0-{}'/>", parameters, ranks - 1),
                          "");
  };
  for (const Topology& network :
       {tree("2;4,4;1,2;1,2", 16), tree("2;4,4;1,1;1,4", 16), tree("2;4,2;1,4;1,1", 8), tree("3;2,2,4;1,2,2;1,1,1", 16),
        tree("1;8;1;1", 8), parse_topology("fat-tree:4"), parse_topology("fat-tree:6")})
    EXPECT_EQ(link_figures(make_schedule(Problem::alltoall(network.ranks(), 1), "shift"), network).sharing, 1)
        << network.ranks() << " ranks, " << network.vertices() << " vertices";
  EXPECT_EQ(link_figures(make_schedule(Problem::alltoall(16, 1), "shift"), tree("2;4,4;1,1;1,1", 16)).sharing, 4)
      << "one cable for four nodes";
}

// The ranks of a node share its link; clustered algorithms avoid contention on it.
TEST(LinkFigures, ClusteredExchangesShareNoLinkOfNodes) {
  const Topology network = parse_topology("cluster:4x3");
  Problem problem = Problem::alltoall(12, 1);
  problem.nodes = network.nodes();
  EXPECT_EQ(link_figures(make_schedule(problem, "clustered"), network).sharing, 1);
  EXPECT_EQ(link_figures(make_schedule(problem, "shift"), network).sharing, 3);
}

TEST(LinkFigures, AreAtLeastTheBoundOfTheNetwork) {
  for (const std::string topology : {"ring:12", "array:12", "torus:3x4", "mesh:2x6", "torus:2x2x3", "full:12", "hypercube:8",
                                     "cluster:4x3", "fat-tree:4", "dragonfly:3x2x2"}) {
    const Topology network = parse_topology(topology);
    for (const Algorithm* algorithm : algorithms_for(Collective::alltoall)) {
      Problem problem = problem_of(Collective::alltoall, network.ranks(), 12);
      problem.grid = network.grid();
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      const LinkFigures figures = link_figures(make_schedule(problem, choice), network);
      const Bytes bound = lower_bounds(problem, network).at(0).value;
      EXPECT_GE(figures.c2_shared, bound) << algorithm->id << " on " << topology;
      if (algorithm->id == "torus" && (topology.starts_with("torus") || topology.starts_with("ring"))) {
        EXPECT_EQ(figures.c2_shared, bound) << topology;
        EXPECT_EQ(figures.sharing, 1);
      }
      if (algorithm->id == "direct" && topology == "full:12") EXPECT_EQ(figures.c2_shared, bound);
    }
  }
}

// Every row of the table on every kind of network. Counting with sharing never gives less than without. The
// verifier's link-contention findings agree with the sharing that is counted here.
TEST(LinkFigures, AgreeWithTheVerifierOnEveryNetwork) {
  const std::string platform = "<cluster topology='DRAGONFLY' topo_parameters='2,2;1,1;2,1;2' radical='0-7'/>";
  std::vector<Topology> networks{parse_edge_list("0 a\n1 a\n2 a\n3 a\n4 b\n5 b\n6 b\n7 b\na b\n0 7\n", "edges"),
                                 parse_platform(platform, "platform")};
  for (const char* name :
       {"ring:8", "array:8", "torus:2x4", "torus:2x4,last", "torus:2x2x2", "mesh:4x2", "mesh:2x2x2", "hypercube:8",
        "hypercube:8,last", "full:8", "cluster:4x2", "dragonfly:2x2x2", "ring:1", "torus:1x3", "fat-tree:2", "cluster:2x3"})
    networks.push_back(parse_topology(name));
  for (const Topology& network : networks)
    for (const Algorithm* algorithm : all_algorithms()) {
      Problem problem = problem_of(algorithm->collective, network.ranks(), 24);
      problem.grid = network.grid();
      problem.nodes = network.nodes();
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      SCOPED_TRACE(fmt::format("{}/{} on {}", name(algorithm->collective), algorithm->id, network.name()));
      const Schedule schedule = make_schedule(problem, choice);
      const LinkFigures shared = link_figures(schedule, network);
      const Figures alone = figures(schedule);
      EXPECT_EQ(shared.sharing > 0, alone.c1 > 0);
      EXPECT_GE(shared.c2_shared, alone.c2);
      if (shared.sharing == 1 && algorithm->collective != Collective::barrier) EXPECT_EQ(shared.c2_shared, alone.c2);
      EXPECT_TRUE(verify(schedule, {.topology = network}).empty());
      bool contention = false, astray = false;
      for (const Finding& finding : verify(schedule, {.topology = network, .strict_links = true})) {
        contention = contention || finding.rule == Rule::link_contention;
        astray = astray || finding.rule == Rule::no_such_way;
        EXPECT_TRUE(finding.rule == Rule::link_contention || finding.rule == Rule::no_such_way) << to_string(finding);
      }
      EXPECT_EQ(contention, shared.sharing > 1);
      const std::set<std::string_view> naming_ports{"torus", "torus-direct", "imaginary-node", "submesh", "subtorus", "swing"};
      if (astray) EXPECT_TRUE(naming_ports.contains(algorithm->id)) << "only torus algorithms name ports";
    }
}

TEST(LinkFigures, RefuseAnotherNumberOfRanks) {
  EXPECT_THROW(link_figures(make_schedule(Problem::alltoall(6, 1), "shift"), Topology::ring(7)), Error);
  EXPECT_THROW(lower_bounds(Problem::alltoall(6, 1), Topology::ring(7)), Error);
  EXPECT_TRUE(lower_bounds(problem_of(Collective::allgather, 6, 1), Topology::ring(6)).empty());
}

}  // namespace
}  // namespace quadrille
