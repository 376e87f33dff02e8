// SPDX-License-Identifier: BSD-3-Clause
// The direct exchange on tori: the published numbers of rounds, and no link with two messages in a round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "quadrille/cost.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using Sides = std::vector<Count>;

Problem on_grid(const Sides& sides) {
  Problem problem = Problem::alltoall(std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>()), 1);
  problem.grid = sides;
  check(problem);
  return problem;
}

// How many links carry a message, by round; -1: some link carries two.
std::map<Count, Count> busy_links(const Schedule& schedule, const Topology& topology) {
  std::map<Count, std::map<Count, Count>> messages;  // by round and link
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        EXPECT_TRUE(topology.for_each_link(rank, message.peer, message.port,
                                           [&](const Link& link) { ++messages[round.number][link.number]; }));
  std::map<Count, Count> busy;
  for (const auto& [round, of_links] : messages) {
    busy[round] = static_cast<Count>(of_links.size());
    for (const auto& [link, count] : of_links)
      if (count > 1) busy[round] = -1;
  }
  return busy;
}

TEST(TorusDirect, NeedsTheLeastRoundsForDirectMessagesWithoutContention) {
  for (const Sides& sides :
       {Sides{4}, {8}, {12}, {20}, {4, 4}, {4, 8}, {8, 4}, {8, 8}, {12, 8}, {4, 1, 8}, {16, 16}, {4, 4, 4}, {4, 8, 4}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(sides, "x")));
    const Topology topology = Topology::torus(sides, Routing::balanced);
    const Schedule schedule = make_schedule(on_grid(sides), "torus-direct");
    const Count p = schedule.problem.ranks, longest = *std::max_element(sides.begin(), sides.end());
    const bool equal = std::count(sides.begin(), sides.end(), longest) == static_cast<std::ptrdiff_t>(sides.size());
    if (p <= 128)
      for (const Finding& finding : verify(schedule, {.topology = topology, .strict_links = true}))
        ADD_FAILURE() << to_string(finding);
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, p * longest / 8);
    EXPECT_EQ(counted.c2, topology.exchange_load(1));
    EXPECT_LE(counted.ports, 2);
    const auto busy = busy_links(schedule, topology);
    EXPECT_EQ(static_cast<Count>(busy.size()), p * longest / 8);
    for (const auto& [round, links] : busy) {
      if (equal)
        EXPECT_EQ(links, topology.link_count()) << "round " << round;
      else
        EXPECT_GT(links, 0) << "round " << round;
    }
  }
}

// On a ring each message names its port, so the routing does not matter. On a torus it does.
TEST(TorusDirect, NeedsBalancedRoutingOnMoreThanOneDimension) {
  const Schedule ring = make_schedule(on_grid({8}), "torus-direct"), torus = make_schedule(on_grid({4, 4}), "torus-direct");
  EXPECT_EQ(link_figures(ring, Topology::ring(8)).sharing, 1);
  EXPECT_EQ(link_figures(torus, Topology::torus({4, 4}, Routing::balanced)).sharing, 1);
  EXPECT_GT(link_figures(torus, Topology::torus({4, 4})).sharing, 1);
}

TEST(TorusDirect, RefusesOtherSides) {
  for (const Sides& sides : {Sides{}, {1}, {6}, {4, 6}, {2, 4}, {5, 4}}) {
    const Problem problem = on_grid(sides);
    EXPECT_THAT(why_not(applies(problem, parse_choice(problem, "torus-direct"))), HasSubstr("sides are multiples of 4"));
  }
}

}  // namespace
}  // namespace quadrille
