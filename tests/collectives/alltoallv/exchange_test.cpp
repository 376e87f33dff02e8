// SPDX-License-Identifier: BSD-3-Clause
// The program of alltoallv/exchange sends what exchanges by edges send from node to node, on both sides of the rule's borders.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <tuple>

#include "execute/executions/exchanger.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/far_mailboxes.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

using Form = FarEdges::Form;

// Ranks on nodes of these sizes, and the bytes from each rank to each other.
Problem on_nodes(const ByRank<Count>& sizes, bool is_cyclic, auto&& bytes) {
  const Count p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
  std::vector<Bytes> counts;
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) counts.push_back(bytes(from, to));
  Problem problem = Problem::alltoallv(p, std::move(counts));
  problem.nodes = nodes_of_ranks(sizes, is_cyclic);
  return problem;
}

struct FarMessages {
  long straight = 0, packed = 0;
  friend bool operator==(const FarMessages&, const FarMessages&) = default;
  friend std::ostream& operator<<(std::ostream& out, const FarMessages& messages) {
    return out << messages.straight << " straight, " << messages.packed << " packed";
  }
};

// What the program sends between nodes.
FarMessages of_program(const Problem& problem) {
  const Schedule schedule = make_schedule(problem, "exchange");
  FarMessages messages;
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        if (problem.nodes[index(rank)] != problem.nodes[index(message.peer)])
          ++(round.number == 0 ? messages.straight : messages.packed);
  return messages;
}

// What an exchange by edges sends between nodes.
FarMessages of_execution(const ByRank<Count>& sizes, bool is_cyclic, const Problem& problem) {
  const Traffic traffic(problem);
  FarMailboxes boxes;
  const PackingRule rule = PackingRule::among(size(sizes), *std::max_element(sizes.begin(), sizes.end()));
  run_as_nodes(sizes, is_cyclic, rule, boxes, [&](Communicator& ranks) {
    const Rank me = ranks.rank();
    const std::vector<std::byte> input(index(traffic.sent_bytes(me)));
    std::vector<std::byte> output(index(traffic.received_bytes(me)));
    EdgeLists edges;
    for (const auto& [peer, bytes, offset] : traffic.sent_by(me)) edges.send(peer, input.data() + offset, bytes);
    for (const auto& [peer, bytes, offset] : traffic.received_by(me)) edges.receive(peer, output.data() + offset, bytes);
    Exchanger::of(ranks)->execute(edges.edges());
  });
  return {boxes.count(Form::early) + boxes.count(Form::single), boxes.count(Form::packed)};
}

TEST(AlltoallvExchange, SendsWhatTheProgramSays) {
  for (const ByRank<Count>& sizes : {ByRank<Count>{4, 4, 4}, {2, 5, 1}, {3, 3}, {1, 1, 1}, {5}})
    for (const bool is_cyclic : {false, true})
      for (const Bytes bytes : {1, 256, 257, 480, 481, 512, 513, 5000})
        for (const auto& counts : std::initializer_list<Bytes (*)(Rank, Rank, Bytes)>{
                 [](Rank, Rank, Bytes all) { return all; },                                               // equal
                 [](Rank from, Rank to, Bytes all) { return (from + 2 * to) % 3 * all / 2; },             // three lengths
                 [](Rank from, Rank to, Bytes all) { return (to - from) % 4 == 1 ? all : Bytes{0}; }}) {  // few pairs
          const Problem problem = on_nodes(sizes, is_cyclic, [&](Rank from, Rank to) { return counts(from, to, bytes); });
          SCOPED_TRACE(description(problem));
          EXPECT_EQ(of_program(problem), of_execution(sizes, is_cyclic, problem));
          const Schedule schedule = make_schedule(problem, "exchange");
          for (const Finding& finding : verify(schedule)) ADD_FAILURE() << to_string(finding);
          EXPECT_EQ(judge(schedule), "");
          if (HasFailure()) return;
        }
}

TEST(AlltoallvExchange, PacksUpToTheRulesBorders) {
  const auto messages = [](const ByRank<Count>& sizes, Bytes bytes) {
    return of_program(on_nodes(sizes, false, [&](Rank, Rank) { return bytes; }));
  };
  EXPECT_EQ(messages({4, 4, 4}, 480), (FarMessages{0, 6}));  // 15 spared messages are worth 15 x 512 B = 16 x 480 B
  EXPECT_EQ(messages({4, 4, 4}, 481), (FarMessages{6 * 16, 0}));
  EXPECT_EQ(messages({16, 16}, 237), (FarMessages{0, 2}));        // 62,788 B with the head's 2,116 B
  EXPECT_EQ(messages({16, 16}, 247), (FarMessages{0, 2}));        // 65,348 B
  EXPECT_EQ(messages({16, 16}, 248), (FarMessages{2 * 256, 0}));  // 65,604 B, more than 64 KiB
}

// Rank 0 is alone on its node. Rank 1 leads the other node.
TEST(AlltoallvExchange, DataOfALeaderDoesNotMoveInsideItsNode) {
  Problem problem = on_nodes({1, 3}, false, [](Rank from, Rank to) { return (from == 0) != (to == 0) ? 10 : 0; });
  const Schedule schedule = make_schedule(problem, "exchange");
  std::set<std::tuple<Count, Rank, Rank, Bytes>> sent;  // round, from, to
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) sent.insert({round.number, rank, message.peer, bytes(message.regions)});
  EXPECT_EQ(sent, (std::set<std::tuple<Count, Rank, Rank, Bytes>>{
                      {0, 2, 1, 10}, {0, 3, 1, 10}, {1, 0, 1, 30}, {1, 1, 0, 30}, {2, 1, 2, 10}, {2, 1, 3, 10}}));
}

TEST(AlltoallvExchange, OnOneNodeIsDirectInOneRound) {
  Problem problem = on_nodes({6}, false, [](Rank from, Rank to) { return from * to; });
  for (const bool names_nodes : {true, false}) {
    if (!names_nodes) problem.nodes.clear();
    const Schedule exchange = make_schedule(problem, "exchange"), direct = make_schedule(problem, "direct:window=5");
    for (Rank rank = 0; rank < problem.ranks; ++rank) EXPECT_EQ(exchange.program(rank), direct.program(rank));
  }
}

}  // namespace
}  // namespace quadrille
