// SPDX-License-Identifier: BSD-3-Clause
// The programs of the hierarchical factor algorithm: the worked example step by step, the number of steps in the
// published table, and that each rank's program follows the timetable.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "patterns/node_timetable.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Problem on_nodes(Problem problem, const std::vector<Count>& sizes) {
  problem.nodes.clear();
  for (std::size_t node = 0; node < sizes.size(); ++node)
    problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
  return problem;
}

Problem alltoall_on(const std::vector<Count>& sizes, Bytes block_bytes = 1) {
  return on_nodes(Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), block_bytes), sizes);
}

// The operations in each round of a stage as text: "0.0~0.0, 1.0=2.0" are a copy and an exchange, "1.1>1.0" is a
// message.
std::vector<std::string> steps_of(const Schedule& schedule, std::size_t stage) {
  const NodeRanks nodes(schedule.problem);
  const auto label = [&](Rank rank) { return fmt::format("{}.{}", nodes.node_of(rank), nodes.index_of(rank)); };
  const Stage wanted = schedule.program(0).stages.at(stage);
  std::vector<std::set<std::string>> steps(static_cast<std::size_t>(wanted.round_count));
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      if (round.number < wanted.first_round || round.number >= wanted.first_round + wanted.round_count) continue;
      auto& step = steps[static_cast<std::size_t>(round.number - wanted.first_round)];
      if (!round.locals.empty()) step.insert(label(rank) + "~" + label(rank));
      for (const Message& message : round.sends) {
        const bool both = !round.receives.empty() && round.receives[0].peer == message.peer;
        if (!both || rank < message.peer) step.insert(label(rank) + (both ? "=" : ">") + label(message.peer));
      }
    }
  std::vector<std::string> texts;
  for (const auto& step : steps) texts.push_back(fmt::format("{}", fmt::join(step, ", ")));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Clustered, HasTheStepsOfTheWorkedExample) {
  const Problem problem = alltoall_on({1, 2, 3});
  const Schedule exchange = make_schedule(problem, "clustered:mode=exchange");
  EXPECT_EQ(steps_of(exchange, 0), (Texts{"0.0~0.0, 1.0=2.0", "1.0=2.1", "1.0=2.2", "0.0=1.0, 2.0~2.0", "0.0=1.1, 2.0=2.1",
                                          "2.0=2.2", "0.0=2.0, 1.0~1.0", "0.0=2.1, 1.0=1.1", "0.0=2.2"}));
  EXPECT_EQ(steps_of(exchange, 1), (Texts{"1.1~1.1, 2.1~2.1", "2.1=2.2", "1.1=2.0", "1.1=2.1", "1.1=2.2"}));
  EXPECT_EQ(steps_of(exchange, 2), (Texts{"2.2~2.2"}));

  const Schedule paper = make_schedule(problem, "clustered:mode=paper");
  EXPECT_EQ(steps_of(paper, 0), (Texts{"0.0~0.0, 1.0=2.0", "1.0=2.1", "1.0=2.2", "0.0=1.0, 2.0~2.0", "0.0=1.1, 2.0>2.1", "2.0>2.2",
                                       "0.0=2.0, 1.0~1.0", "0.0=2.1, 1.0>1.1", "0.0=2.2"}));
  EXPECT_EQ(steps_of(paper, 1), (Texts{"1.1>1.0, 2.1>2.0", "1.1~1.1, 2.1~2.1", "2.1>2.2", "1.1=2.0", "1.1=2.1", "1.1=2.2"}));
  EXPECT_EQ(steps_of(paper, 2), (Texts{"2.2>2.0", "2.2>2.1", "2.2~2.2"}));

  const Schedule inter = make_schedule(problem, "clustered");
  EXPECT_EQ(steps_of(inter, 0), (Texts{"1.0=2.0", "1.0=2.1", "1.0=2.2", "0.0=1.0", "0.0=1.1", "0.0=2.0", "0.0=2.1", "0.0=2.2"}));
  EXPECT_EQ(steps_of(inter, 1), (Texts{"1.1=2.0", "1.1=2.1", "1.1=2.2"}));
  EXPECT_EQ(steps_of(inter, 2), Texts{});
  EXPECT_EQ(inter.program(0).stages.at(3).name, "inside nodes");
  EXPECT_EQ(steps_of(inter, 3),
            (Texts{"0.0~0.0, 1.0=1.1, 2.0~2.0, 2.1=2.2", "1.0~1.0, 1.1~1.1, 2.0=2.1, 2.2~2.2", "2.0=2.2, 2.1~2.1"}));
}

// The number of rounds that have a message between nodes.
Count rounds_between_nodes(const Schedule& schedule) {
  const NodeRanks nodes(schedule.problem);
  std::set<Count> rounds;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        if (nodes.node_of(rank) != nodes.node_of(message.peer)) rounds.insert(round.number);
  return static_cast<Count>(rounds.size());
}

TEST(Clustered, HasTheStepsOfTheTableBetweenNodes) {
  const std::vector<std::pair<std::vector<Count>, Count>> table{
      {{1, 2, 3}, 11},       {{2, 2}, 4},        {{4, 4, 4}, 48},    {{4, 4, 4, 4, 4, 4}, 80}, {{3, 3, 3, 2}, 27},
      {{8, 8, 8, 5}, 192},   {{1, 1, 1, 8}, 24}, {{4, 3, 2, 1}, 27}, {{2, 5, 2, 5, 3}, 75},    {{1, 2, 3, 4, 5, 6}, 100},
      {{16, 16, 12, 4}, 640}};
  for (const auto& [sizes, steps] : table) {
    const Schedule schedule = make_schedule(alltoall_on(sizes), "clustered");
    EXPECT_EQ(rounds_between_nodes(schedule), steps) << fmt::format("{}", fmt::join(sizes, ","));
    // After that, only messages inside the largest node remain.
    const Count n = *std::max_element(sizes.begin(), sizes.end());
    EXPECT_EQ(figures(schedule).c1, steps + (n % 2 == 0 ? n - 1 : n));
  }
  EXPECT_EQ(figures(make_schedule(alltoall_on({4, 4, 4, 4, 4, 4}), "clustered:mode=exchange")).c1, 96);
  EXPECT_EQ(figures(make_schedule(alltoall_on({4, 4, 4, 4, 4, 4}), "clustered:mode=exchange,factor=concentrated")).c1, 86);
}

// A specification of the algorithm, and what its timetable is made from.
struct Setting {
  std::string specification;
  OwnNode own_node = OwnNode::apart;
  one_factor::Form form = one_factor::Form::concentrated;
  Decomposition::Into into = Decomposition::Into::matchings;
  Count degree = 1;
  Count adapters = 1;
};

std::vector<Setting> settings() {
  using Into = Decomposition::Into;
  using one_factor::Form;
  return {{.specification = "clustered:mode=paper", .own_node = OwnNode::sends, .form = Form::basic},
          {.specification = "clustered:mode=paper,factor=concentrated", .own_node = OwnNode::sends},
          {.specification = "clustered:mode=exchange", .own_node = OwnNode::exchanges, .form = Form::basic},
          {.specification = "clustered:mode=exchange,decomposition=permutations",
           .own_node = OwnNode::exchanges,
           .form = Form::basic,
           .into = Into::permutations},
          {.specification = "clustered"},
          {.specification = "clustered:adapters=2", .adapters = 2},
          {.specification = "clustered:degree=2", .degree = 2},
          {.specification = "clustered:decomposition=permutations", .into = Into::permutations},
          {.specification = "clustered:decomposition=permutations,degree=2", .into = Into::permutations, .degree = 2}};
}

// Ranks exchange with their own node in the timetable's steps, or, if the own node is apart, after them.
void expect_timetable(const Problem& problem, const Setting& setting) {
  const NodeRanks dealt = NodeRanks(problem).dealt(setting.adapters);
  const NodeTimetable timetable(dealt.sizes(), setting.own_node,
                                {.into = setting.into, .form = setting.form, .degree = setting.degree});
  const Schedule schedule = make_schedule(problem, setting.specification);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) {
        const Count own = dealt.node_of(rank), other = dealt.node_of(message.peer);
        if (own == other && setting.own_node == OwnNode::apart)
          EXPECT_GE(round.number, timetable.steps());
        else
          EXPECT_EQ(round.number, timetable.step(own, dealt.index_of(rank), other, dealt.index_of(message.peer)));
      }
}

// Tests also ranks of a node that are not consecutive, and several ports.
TEST(Clustered, HasProgramsThatFollowTheTimetable) {
  for (const Count p : {1, 2, 6, 11, 16})
    for (const auto& nodes : placements(p)) {
      Problem problem = Problem::alltoall(p, 1);
      problem.nodes = nodes;
      for (const Setting& setting : settings()) {
        const NodeRanks ranks(problem);
        if (setting.adapters > ranks.largest() || setting.degree >= ranks.node_count()) continue;  // refused
        SCOPED_TRACE(setting.specification);
        expect_timetable(problem, setting);
      }
    }
}

// The rounds in which a rank has messages, and the peers.
std::vector<std::pair<Count, Rank>> meetings(const Program& program) {
  std::vector<std::pair<Count, Rank>> list;
  for (const Round& round : program.rounds)
    for (const Message& message : round.sends) list.emplace_back(round.number, message.peer);
  return list;
}

TEST(Clustered, IsOneFactorIfEveryRankIsANode) {
  for (Count p = 1; p <= 20; ++p)
    for (const auto& [clustered, flat] : {std::pair("clustered", "one-factor"),
                                          {"clustered:mode=exchange", "one-factor:factor=basic"},
                                          {"clustered:mode=paper", "one-factor:factor=basic"}})
      for (const auto& problem : {Problem::alltoall(p, 1), make_traffic(p, {.kind = TrafficKind::sparse, .typical = 5})}) {
        const Schedule a = make_schedule(problem, clustered), b = make_schedule(problem, flat);
        for (Rank rank = 0; rank < p; ++rank) EXPECT_EQ(meetings(a.program(rank)), meetings(b.program(rank))) << clustered << p;
      }
}

TEST(Clustered, DividesTheStepsByTheAdapters) {
  for (const Count adapters : {1, 2, 4}) {
    const Schedule schedule = make_schedule(alltoall_on({4, 4, 4, 4, 4, 4}), fmt::format("clustered:adapters={}", adapters));
    const Count n = 4 / adapters;
    EXPECT_EQ(rounds_between_nodes(schedule), n * (24 - n));
    EXPECT_TRUE(verify(schedule).empty());
    EXPECT_EQ(verify(schedule, {.node_port_limit = adapters}).empty(), true);
    if (adapters > 1) EXPECT_FALSE(verify(schedule, {.node_port_limit = adapters - 1}).empty());
  }
}

// With permutations every node has a partner in each round. So the steps are n (p - n), the number of messages that a largest node
// has to send.
TEST(Clustered, HasTheFewestStepsWithPermutations) {
  for (const std::vector<Count>& sizes :
       {std::vector<Count>{1, 2, 3}, {4, 4, 4}, {3, 3, 3, 2}, {4, 3, 2, 1}, {2, 5, 2, 5, 3}, {16, 16, 12, 4}}) {
    const Count n = *std::max_element(sizes.begin(), sizes.end()), p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
    const Schedule schedule = make_schedule(alltoall_on(sizes), "clustered:decomposition=permutations");
    EXPECT_EQ(rounds_between_nodes(schedule), n * (p - n));
    EXPECT_EQ(schedule.node_port_limit, 1);
    for (const Finding& finding : verify(schedule)) ADD_FAILURE() << to_string(finding);
  }
}

// A node's port works in both directions at once: sending to one node while receiving from another is one exchange, as
// is sending to and receiving from the same node. So the price of both decompositions is that of their steps.
TEST(Clustered, HasOneExchangeANodeInEachStep) {
  for (const std::vector<Count>& sizes : {std::vector<Count>{4, 4, 4, 4}, {1, 2, 3}, {2, 5, 2, 5, 3}})
    for (const char* specification : {"clustered", "clustered:decomposition=permutations"}) {
      const Schedule schedule = make_schedule(alltoall_on(sizes, 7), specification);
      Count exchanges = 0;
      Bytes exchanged = 0;
      for (const StageFigures& stage : workload(schedule, {.nodes = true}).stages)
        for (const RoundFigures& round : stage.rounds) {
          exchanges += round.exchanges;
          exchanged += round.exchanged;
        }
      EXPECT_EQ(exchanges, rounds_between_nodes(schedule)) << specification;
      EXPECT_EQ(exchanged, 7 * exchanges) << specification;
    }
}

// Nodes of equal size. If `degree` divides the number of factors, the number of steps is divided by `degree`. `adapters` divides
// the nodes into smaller ones instead. Then the steps also include messages between the adapters of a node, but all adapters are in
// use even if there are few nodes.
TEST(Clustered, DividesTheStepsByTheDegree) {
  const auto steps = [](Count nodes, Count n, const std::string& specification) {
    const Schedule schedule = make_schedule(alltoall_on(std::vector<Count>(static_cast<std::size_t>(nodes), n)), specification);
    for (const Finding& finding : verify(schedule)) ADD_FAILURE() << specification << ": " << to_string(finding);
    return schedule.program(0).stages.back().first_round;
  };
  for (const Count degree : {1, 2, 3, 6})
    EXPECT_EQ(steps(7, 4, fmt::format("clustered:decomposition=permutations,degree={}", degree)), 4 * (28 - 4) / degree);
  for (const Count degree : {1, 7}) EXPECT_EQ(steps(8, 4, fmt::format("clustered:degree={}", degree)), 4 * (32 - 4) / degree);
  EXPECT_EQ(steps(8, 4, "clustered:degree=2"), 4 * 16);
  EXPECT_EQ(steps(8, 4, "clustered:degree=3"), 3 * 16);

  EXPECT_EQ(steps(7, 4, "clustered:adapters=2"), 2 * (28 - 2));
  EXPECT_EQ(steps(2, 4, "clustered"), 16);  // a node has only one other node to exchange with
  EXPECT_EQ(steps(2, 4, "clustered:adapters=4"), 8 - 1);
}

// With a degree above 1 a node has several exchanges at a time. If the node has enough ranks, each of them takes part in at most
// one exchange at a time and needs one port. On smaller nodes a rank needs several ports.
TEST(Clustered, StatesThePortsThatRanksNeed) {
  const auto ports = [](const std::vector<Count>& sizes, const std::string& specification) {
    return make_schedule(alltoall_on(sizes), "clustered:" + specification).port_limit.value();
  };
  const std::vector<Count> eight(9, 8), three(9, 3);
  EXPECT_EQ(ports(eight, "degree=4"), 1);
  EXPECT_EQ(ports(eight, "degree=5"), 2);
  EXPECT_EQ(ports(eight, "decomposition=permutations,degree=8"), 1);
  EXPECT_EQ(ports(three, "degree=2"), 2);
  EXPECT_EQ(ports(three, "decomposition=permutations,degree=3"), 1);
  EXPECT_EQ(ports(three, "decomposition=permutations,degree=8"), 3);
  EXPECT_EQ(ports({1, 2, 3}, "degree=2"), 2);
  EXPECT_EQ(ports({1, 2, 3}, "decomposition=permutations"), 1);
}

TEST(Clustered, UsesConcentratedFactorsByDefaultBetweenNodesOnly) {
  const Problem problem = alltoall_on({2, 3});
  EXPECT_EQ(word(parse_choice(problem, "clustered").parameters, "factor"), "concentrated");
  EXPECT_EQ(word(parse_choice(problem, "clustered:mode=exchange").parameters, "factor"), "basic");
  EXPECT_FALSE(applies(problem, parse_choice(problem, "clustered:factor=basic")));
  EXPECT_TRUE(applies(problem, parse_choice(problem, "clustered:factor=basic,mode=paper")));
  EXPECT_EQ(word(parse_choice(problem, "clustered:mode=paper,decomposition=permutations").parameters, "factor"), "concentrated");
  const Problem three = alltoall_on({2, 3, 3});
  EXPECT_NO_THROW(parse_choice(three, "clustered:degree=2"));
  EXPECT_THROW(parse_choice(three, "clustered:degree=3"), Error) << "there are two other nodes";
  for (const char* refused :
       {"factor=basic,mode=paper,decomposition=permutations", "degree=2,mode=exchange", "degree=2,adapters=2"})
    EXPECT_FALSE(applies(three, parse_choice(three, fmt::format("clustered:{}", refused)))) << refused;
}

TEST(Clustered, IsVerifiedOnNodesOfManySizes) {
  for (const std::vector<Count>& sizes : {std::vector<Count>{1, 2, 3, 4, 5, 6}, {16, 16, 12, 4}, {1, 1, 1, 30}, {7, 1, 7, 1, 7}})
    for (const std::string specification : {"clustered", "clustered:mode=exchange", "clustered:mode=paper", "clustered:degree=3",
                                            "clustered:decomposition=permutations,degree=2"}) {
      const Problem regular = alltoall_on(sizes);
      const Problem irregular = on_nodes(make_traffic(regular.ranks, {.kind = TrafficKind::power_law, .typical = 11}), sizes);
      for (const Problem& problem : {regular, irregular})
        for (const Finding& finding : verify(make_schedule(problem, specification)))
          FAIL() << specification << ": " << to_string(finding);
    }
}

}  // namespace
}  // namespace quadrille
