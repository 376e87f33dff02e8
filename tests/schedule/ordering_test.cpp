// SPDX-License-Identifier: BSD-3-Clause
// Windows, gates and channels: where each policy cuts windows, and which operations wait for which.
#include "schedule/ordering.hpp"

#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "support/three_rounds.hpp"

namespace quadrille {
namespace {

TEST(Windows, FollowThePolicies) {
  const Program program = testing::three_rounds();
  const DependenceGraph graph = dependences(program);
  EXPECT_EQ(windows(program, graph, Policy::blocking), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(windows(program, graph, Policy::nonblocking), (std::vector<std::size_t>{0, 0, 1, 2}));
}

TEST(Windows, IndependentRoundsOfAStageGoTogether) {
  const Program shift = make_schedule(Problem::alltoall(6, 8), "shift").program(2);
  const auto together = windows(shift, dependences(shift), Policy::nonblocking);
  EXPECT_EQ(together.back(), 0u) << "pairwise rounds are independent";
  const Program ring = make_schedule(Problem::alltoall(6, 8), "ring").program(2);
  EXPECT_EQ(windows(ring, dependences(ring), Policy::nonblocking).back(), 4u) << "each round of the ring waits for the one before";
}

TEST(Channels, LinkTheMessagesOfAPair) {
  ProgramBuilder program{0};
  for (Rank peer : {1, 2, 1}) {
    program.begin_round();
    program.send(peer, {{Buffer::input, peer, 1}});
    program.receive(peer, {{Buffer::output, peer, 1}});
  }
  const Program made = std::move(program).finish();
  std::vector<std::size_t> previous;
  std::vector<std::uint32_t> positions;
  for (const ChannelPlace& place : channel_places(made, dependences(made))) {
    previous.push_back(place.previous);
    positions.push_back(place.position);
  }
  EXPECT_EQ(previous, (std::vector<std::size_t>{no_operation, no_operation, no_operation, no_operation, 0, 1}));
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1}));
}

// Returns the operations that must be complete before `operation` starts, looking through gates.
std::vector<std::size_t> waits_for(const Ordering& order, std::size_t operation) {
  std::vector<bool> seen(order.steps.size(), false);
  for (std::size_t i = 0; i < seen.size(); ++i)
    seen[i] = order.steps[i].operation == operation && order.steps[i].kind != Ordering::Kind::gate;
  for (std::size_t to = seen.size(); to-- > 0;)
    for (const Ordering::Edge& edge : order.edges)
      if (edge.to == to && seen[to]) seen[edge.from] = true;
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] && order.steps[i].kind != Ordering::Kind::gate && order.steps[i].operation != operation)
      list.push_back(order.steps[i].operation);
  return list;
}

// A receive waits for the data that a packed send reads, but not for the send. The next send of the channel may be
// posted only after the packing.
TEST(Ordering, AReceiveWaitsUntilASendCanBePacked) {
  ProgramBuilder builder{0};
  builder.begin_round();
  builder.receive(1, {{Buffer::scratch, 0, 8}});
  builder.begin_round();
  builder.send(2, {{Buffer::scratch, 0, 16}});
  builder.receive(2, {{Buffer::scratch, 8, 8}});
  builder.begin_round();
  builder.receive(3, {{Buffer::scratch, 12, 2}});
  const Program program = std::move(builder).finish();
  const DependenceGraph graph = dependences(program);
  const Ordering order = ordering(program, graph, Policy::dataflow);
  EXPECT_EQ(waits_for(order, 1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(waits_for(order, 2), (std::vector<std::size_t>{0})) << "what the send of its round reads must be there";
  EXPECT_EQ(waits_for(order, 3), (std::vector<std::size_t>{0, 2}));
  const Ordering windowed = ordering(program, graph, Policy::blocking);
  EXPECT_EQ(waits_for(windowed, 2), (std::vector<std::size_t>{0}));
}

// Consecutive rounds that have only control messages: each waits for everything before it, under every policy.
TEST(Ordering, RoundsOfOnlyControlMessagesWaitForEverythingBefore) {
  ProgramBuilder builder{0};
  for (int round = 0; round < 4; ++round) {
    builder.begin_round();
    if (round == 0 || round == 3) builder.send(1, {{Buffer::input, round, 1}});
    if (round > 0) builder.control_send(2, 0);
  }
  const Program program = in_posting_order(std::move(builder).finish());
  const DependenceGraph graph = dependences(program);
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
    const Ordering order = ordering(program, graph, policy);
    EXPECT_EQ(waits_for(order, 1), (std::vector<std::size_t>{0}));
    EXPECT_EQ(waits_for(order, 2), (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(waits_for(order, 3), (std::vector<std::size_t>{0, 1, 2})) << "a control message that comes with payload";
    EXPECT_EQ(waits_for(order, 4), (std::vector<std::size_t>{0, 1, 2}));
  }
}

}  // namespace
}  // namespace quadrille
