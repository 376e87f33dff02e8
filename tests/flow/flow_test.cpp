// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "flow/arborescence.hpp"
#include "flow/filling.hpp"
#include "flow/ways.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

// A tree, so that all are connected, and some more edges. With `switches` the last vertices are switches; with `capacities` links
// are slow and fast.
Topology random_network(Count ranks, Count switches, Count more_edges, std::mt19937& random, bool capacities = false) {
  const Count vertices = ranks + switches;
  const auto text = [&](Count vertex) { return vertex < ranks ? std::to_string(vertex) : "s" + std::to_string(vertex); };
  static const char* const drawn[] = {"", " 1/3", " 0.25", " 2"};
  const auto capacity = [&] { return std::string(capacities ? drawn[random() % 4] : "") + "\n"; };
  std::string edges;
  std::vector<Count> order(index(vertices));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 1; i < order.size(); ++i) edges += text(order[i]) + " " + text(order[random() % i]) + capacity();
  for (Count i = 0; i < more_edges; ++i) {
    const Count a = static_cast<Count>(random() % index(vertices)), b = static_cast<Count>(random() % index(vertices));
    if (a != b) edges += text(a) + " " + text(b) + capacity();
  }
  return parse_edge_list(edges, "random");
}

std::vector<Problem> problems_among(Count ranks, std::mt19937& random) {
  const Bytes block = static_cast<Bytes>(1 + random() % 900);
  std::vector<Bytes> counts(index(ranks * ranks)), shares(index(ranks));
  for (Bytes& count : counts) count = random() % 3 == 0 ? 0 : static_cast<Bytes>(random() % 300);
  for (Bytes& share : shares) share = static_cast<Bytes>(random() % 100);
  const Rank root = static_cast<Rank>(random() % index(ranks));
  std::vector<Problem> problems{Problem::alltoall(ranks, block), Problem::alltoallv(ranks, counts)};
  for (const Collective collective : {Collective::allgather, Collective::broadcast, Collective::scatter, Collective::gather}) {
    Problem problem{.collective = collective, .ranks = ranks, .block_bytes = block};
    if (is_rooted(collective)) problem.root = root;
    problems.push_back(problem);
  }
  problems.push_back(
      {.collective = Collective::allgatherv, .ranks = ranks, .counts = std::make_shared<std::vector<Bytes>>(shares)});
  return problems;
}

// Each message is one link of the network, so no dead link is used; and the stated figures are those that the network counts.
void expect_right(const FlowSchedule& flow, const Topology& topology) {
  const auto findings = verify(flow.schedule);
  ASSERT_TRUE(findings.empty()) << to_string(findings.front());
  EXPECT_GE(flow.c2_shared, flow.busiest_link);
  EXPECT_GE(flow.busiest_link, flow.bound);
  const LinkFigures counted = link_figures(flow.schedule, topology);
  EXPECT_EQ(counted.c2_shared, flow.c2_shared);
  if (topology.vertices() > topology.ranks()) return;
  EXPECT_LE(counted.sharing, 1) << topology.name();
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    for (const Round& round : flow.schedule.program(rank).rounds)
      for (const Message& message : round.sends) EXPECT_EQ(topology.distance(rank, message.peer), 1);
}

TEST(Flow, IsRightOnRandomNetworks) {
  std::mt19937 random(1);
  for (int i = 0; i < testing::extent(10, 40, 400); ++i) {
    const Count ranks = static_cast<Count>(2 + random() % 8), switches = i % 2 == 0 ? 0 : static_cast<Count>(1 + random() % 4);
    const Topology topology = random_network(ranks, switches, static_cast<Count>(random() % 8), random, i % 5 >= 3);
    for (const Problem& problem : problems_among(ranks, random)) {
      FlowOptions options;
      if (i % 3 == 1)
        options.rounds = static_cast<Count>(1 + random() % 9), options.segments = static_cast<Count>(1 + random() % 5);
      SCOPED_TRACE(::testing::Message() << "network " << i << ", " << name(problem.collective));
      expect_right(flow_schedule(problem, topology, options), topology);
    }
  }
}

TEST(Flow, IsRightOnProducts) {
  for (const char* name :
       {"torus:2x2", "torus:2x3", "torus:3x3", "mesh:3x3", "ring:2", "ring:7", "array:4", "hypercube:8", "full:5"}) {
    const Topology topology = parse_topology(name);
    SCOPED_TRACE(name);
    expect_right(flow_schedule(Problem::alltoall(topology.ranks(), 64), topology), topology);
  }
  EXPECT_TRUE(verify(flow_schedule(Problem::alltoall(1, 64), parse_topology("ring:1")).schedule).empty());
}

TEST(Flow, ReachesTheBoundOfSmallTori) {
  for (const char* name : {"ring:3", "ring:5", "torus:3x3", "torus:4x4", "hypercube:8", "hypercube:16"}) {
    const Topology topology = parse_topology(name);
    const FlowSchedule flow = flow_schedule(Problem::alltoall(topology.ranks(), 4096), topology);
    EXPECT_LE(static_cast<double>(flow.busiest_link), 1.01 * static_cast<double>(flow.bound)) << name;
    EXPECT_LE(static_cast<double>(flow.c2_shared), 1.05 * static_cast<double>(flow.bound)) << name;
  }
}

// A round carries more over fast links, and less over slow ones, so that all are busy all the time.
TEST(Flow, IsNearTheBoundWithSlowAndFastLinks) {
  for (const char* edges : {"0 1 1/4\n1 2\n2 3\n3 0\n", "0 1 4\n1 2\n2 3 2\n3 0\n0 2 1/2\n",
                            "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n2 3 1/4\n", "0 a\n1 a\n2 b\n3 b\na b 2\n"}) {
    const Topology topology = parse_edge_list(edges, edges);
    const FlowSchedule flow = flow_schedule(Problem::alltoall(topology.ranks(), 4096), topology);
    EXPECT_LE(static_cast<double>(flow.c2_shared), 1.1 * static_cast<double>(flow.bound)) << edges;
    expect_right(flow, topology);
  }
}

TEST(Flow, IsTheSameEachTime) {
  const Topology topology = parse_topology("torus:3x4");
  const Problem problem = Problem::alltoall(12, 100);
  const FlowSchedule one = flow_schedule(problem, topology), other = flow_schedule(problem, topology);
  for (Rank rank = 0; rank < 12; ++rank) EXPECT_EQ(one.schedule.program(rank), other.schedule.program(rank));
}

// The least sum of the costs of a spanning tree: each rank but the root takes each hop that enters it.
double least_sum(const RankNetwork& network, Rank root, const std::vector<double>& costs, Rank rank, std::vector<Rank>& parents) {
  if (rank == network.ranks) {
    for (Rank start = 0; start < network.ranks; ++start) {
      Rank here = start;
      for (Count i = 0; i < network.ranks && here != root; ++i) here = parents[index(here)];
      if (here != root) return 1e9;
    }
    return 0;
  }
  if (rank == root) return least_sum(network, root, costs, rank + 1, parents);
  double least = 1e9;
  for (std::size_t hop = 0; hop < network.hops.size(); ++hop)
    if (network.hops[hop].to == rank) {
      parents[index(rank)] = network.hops[hop].from;
      least = std::min(least, costs[hop] + least_sum(network, root, costs, rank + 1, parents));
    }
  return least;
}

TEST(CheapestTree, IsTheCheapest) {
  std::mt19937 random(2);
  for (int i = 0; i < testing::extent(50, 200, 2000); ++i) {
    const Count ranks = static_cast<Count>(2 + random() % 5);
    const RankNetwork network(random_network(ranks, i % 4 == 0 ? 1 : 0, 4, random));
    std::vector<double> costs(network.hops.size());
    for (double& cost : costs) cost = static_cast<double>(random() % 10);
    const Rank root = static_cast<Rank>(random() % index(ranks));
    double sum = 0;
    std::vector<bool> reached(index(ranks), false);
    reached[index(root)] = true;
    for (const PartStep& step : cheapest_tree(network, root, costs)) {
      sum += costs[step.hop];
      const RankHop& hop = network.hops[step.hop];
      EXPECT_TRUE(reached[index(hop.from)] && !reached[index(hop.to)]);
      reached[index(hop.to)] = true;
    }
    std::vector<Rank> parents(index(ranks));
    EXPECT_EQ(sum, least_sum(network, root, costs, 0, parents)) << i;
  }
}

TEST(FilledRounds, KeepLimits) {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const Topology topology = random_network(6, i % 3 == 0 ? 0 : 2, 5, random, i % 4 == 1);
    const Capacities& capacities = topology.capacities();
    const RankNetwork network(topology);
    std::vector<BlockPart> parts = parts_of_blocks(Problem::alltoall(6, 100), 3);
    choose_ways(network, parts, {.steps = 5});
    const RoundLimits limits{static_cast<Bytes>(20 + random() % 50), static_cast<Count>(1 + random() % 3)};
    for (const auto& round : filled_rounds(network, parts, limits).rounds) {
      std::vector<Bytes> bytes(network.hops.size());
      for (const PartTransfer& transfer : round) bytes[parts[transfer.part].steps[transfer.step].hop] += transfer.length;
      std::vector<Count> messages(network.link_numbers);
      for (std::size_t hop = 0; hop < bytes.size(); ++hop) {
        EXPECT_LE(bytes[hop] * capacities.of_machine, std::max(capacities.of_machine, limits.longest * network.hops[hop].capacity));
        for (const std::size_t link : network.hops[hop].links) messages[link] += bytes[hop] > 0 ? network.hops[hop].capacity : 0;
      }
      for (std::size_t link = 0; link < messages.size(); ++link)
        EXPECT_LE(messages[link], limits.sharing * capacities.of(static_cast<Count>(link)));
    }
  }
}

TEST(FlowOptions, AreReadAndRefused) {
  const FlowOptions options = parse_flow_options("flow:rounds=64,segments=4,steps=9,seconds=30");
  EXPECT_EQ(std::tuple(options.rounds, options.segments, options.steps, options.seconds), std::tuple(64, 4, 9, 30));
  for (const char* wrong : {"flow:round=4", "flow:rounds=0", "flow:rounds", "flow:seconds=x", "flow:rounds=3,rounds=4"})
    EXPECT_THROW(parse_flow_options(wrong), Error) << wrong;
  const Topology topology = parse_topology("ring:4");
  EXPECT_THROW(flow_schedule(Problem::alltoall(5, 8), topology), Error);
  EXPECT_THROW(flow_schedule({.collective = Collective::allreduce, .ranks = 4, .block_bytes = 8}, topology), Error);
  EXPECT_FALSE(flow_family("flow", topology).schedule(Problem::alltoall(5, 8)));
  EXPECT_THROW(flow_schedule(Problem::alltoall(4, 1 << 20), topology, {.segments = 1 << 20}), Error) << "twelve million parts";
}

TEST(FlowFamily, MakesEachScheduleOnce) {
  int reports = 0;
  const Family family = flow_family("flow:segments=2", parse_topology("torus:3x3"), [&](const std::string&) { ++reports; });
  const Schedule one = *family.schedule(Problem::alltoall(9, 64));
  const int of_the_first = reports;
  EXPECT_GT(of_the_first, 0);
  EXPECT_EQ(one.program(4), family.schedule(Problem::alltoall(9, 64))->program(4));
  EXPECT_EQ(reports, of_the_first);
}

}  // namespace
}  // namespace quadrille
