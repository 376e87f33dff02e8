// SPDX-License-Identifier: BSD-3-Clause
// One message for each pair of nodes: which rank sends it, how many there are, and that programs stay short.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collectives/slices/pairs.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Problem equal_nodes(Count nodes, Count ranks_each, Bytes block_bytes = 1) {
  Problem problem = Problem::alltoall(nodes * ranks_each, block_bytes);
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_each);
  return problem;
}

TEST(Combined, SendsOneMessageForEachPairOfNodes) {
  for (const Count p : {1, 5, 9, 14, 20})
    for (const auto& nodes : placements(p))
      for (const Problem& given : {Problem::alltoall(p, 2), make_traffic(p, {.kind = TrafficKind::equal, .typical = 3})})
        for (const char* specification : {"combined", "combined:leaders=1"}) {
          Problem problem = given;
          problem.nodes = nodes;
          const NodeRanks places(problem);
          const Schedule schedule = make_schedule(problem, specification);
          std::map<std::pair<Count, Count>, int> messages;           // between pairs of nodes
          std::map<Count, std::map<Rank, Count>> exchanges_of_node;  // by node, then by rank
          for (Rank rank = 0; rank < p; ++rank) {
            if (places.node_count() > 1) exchanges_of_node[places.node_of(rank)][rank] += 0;
            for (const Round& round : schedule.program(rank).rounds)
              for (const Message& message : round.sends) {
                const Count from = places.node_of(rank), to = places.node_of(message.peer);
                if (from == to) continue;
                ++messages[{from, to}];
                ++exchanges_of_node[from][rank];
              }
          }
          EXPECT_EQ(static_cast<Count>(messages.size()), places.node_count() * (places.node_count() - 1));
          for (const auto& [pair, count] : messages) EXPECT_EQ(count, 1);
          for (const auto& [node, exchanges] : exchanges_of_node) {
            Count most = 0, leading = 0;
            for (const auto& [rank, count] : exchanges) {
              most = std::max(most, count);
              leading += count > 0 ? 1 : 0;
            }
            const Count leaders = std::string_view(specification).ends_with("=1") ? 1 : places.size(node);
            EXPECT_LE(leading, leaders);
            EXPECT_LE(most, ceil_divide(places.node_count(), leaders)) << "leaders have equally many turns, within one";
          }
        }
}

TEST(Combined, HasARoundForEachNodeAndTwoWithinNodes) {
  const auto rounds = [](Count nodes, Count each) { return figures(make_schedule(equal_nodes(nodes, each), "combined")).c1; };
  EXPECT_EQ(rounds(6, 4), 7);
  EXPECT_EQ(rounds(5, 4), 7);
  EXPECT_EQ(rounds(1, 4), 1);
  EXPECT_EQ(rounds(6, 1), 5);
  const Figures counted = figures(make_schedule(equal_nodes(6, 4), "combined"));
  EXPECT_EQ(counted.c2, 5 * 16 + (4 * 2 + 1) + 4 * 2);  // the first rank leads twice, the largest number of turns
  EXPECT_EQ(counted.ports, 3);
}

TEST(Combined, SendsHeadersUnlessCountsAreKnown) {
  Problem problem = make_traffic(6, {.kind = TrafficKind::power_law, .typical = 9});
  problem.nodes = {0, 0, 1, 1, 2, 2};
  Figures told = figures(make_schedule(problem, "combined"));
  EXPECT_GT(told.control_bytes, 0);
  told.control_bytes = 0;
  EXPECT_EQ(told, figures(make_schedule(problem, "combined:counts=known")));
  // If every rank is a node, no data is forwarded, but headers are sent: one byte for the number of entries and two for
  // each entry.
  const Problem flat = make_traffic(4, {.kind = TrafficKind::equal, .typical = 9});
  EXPECT_EQ(figures(make_schedule(flat, "combined")).control_bytes, 4 * 3 * 3);
}

TEST(Combined, IsVerifiedOnNodesOfManySizes) {
  for (const std::vector<Count>& sizes : {std::vector<Count>{1, 2, 3, 4, 5, 6}, {16, 16, 12, 4}, {1, 1, 1, 30}, {7, 1, 7, 1, 7}})
    for (const char* specification : {"combined", "combined:leaders=2"})
      for (const bool regular : {true, false}) {
        const Count p = std::accumulate(sizes.begin(), sizes.end(), Count{0});
        Problem problem =
            regular ? Problem::alltoall(p, 3) : make_traffic(p, {.kind = TrafficKind::sparse, .typical = 11, .density = 0.2});
        for (std::size_t node = 0; node < sizes.size(); ++node)
          problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
        const Schedule schedule = make_schedule(problem, specification);
        for (const Finding& finding : verify(schedule)) FAIL() << specification << ": " << to_string(finding);
        EXPECT_EQ(judge(schedule), "") << specification;
      }
}

// A message of many blocks consists of few regions.
TEST(Combined, HasShortPrograms) {
  const Schedule schedule = make_schedule(equal_nodes(40, 20), "combined");
  std::size_t regions = 0;
  for (const Round& round : schedule.program(30).rounds)
    for (const auto* messages : {&round.sends, &round.receives})
      for (const Message& message : *messages) regions += message.regions.size();
  // A rank leads in two turns. The data of these two turns alternates between blocks for other ranks and for the leader itself, so
  // it takes two regions for each rank of a node. Each mate adds a few regions.
  EXPECT_LE(regions, 2u * 2 * 20 + 2 * 3 + 19 * 10);
}

TEST(Regions, AreJoinedOnlyWhereTheyAreContiguous) {
  const auto joined = [](Regions regions, const Region& more) {
    append(regions, more);
    return regions;
  };
  const Region first{Buffer::input, 0, 2, {}}, next{Buffer::input, 2, 2, {}};
  const Region repeated{Buffer::input, 0, 2, {{{2, 6}, {}, {}}}}, repeated_next{Buffer::input, 2, 2, {{{2, 6}, {}, {}}}};
  EXPECT_EQ(joined({first}, next), (Regions{{Buffer::input, 0, 4, {}}}));
  EXPECT_EQ(joined({next}, first), (Regions{next, first}));
  EXPECT_EQ(joined({first}, {Buffer::output, 2, 2, {}}).size(), 2u);
  EXPECT_EQ(joined({repeated}, next), (Regions{repeated, next}));
  EXPECT_EQ(joined({first}, repeated_next), (Regions{first, repeated_next}));
}

TEST(Regions, AreFoldedWithoutChangingTheirOrder) {
  const auto at = [](Bytes offset, Bytes length, Buffer buffer = Buffer::input) { return Region{buffer, offset, length, {}}; };
  const auto expect_same_bytes = [](const Regions& regions, std::size_t count) {
    const auto runs = [](const Regions& list) {
      std::vector<std::tuple<Buffer, Bytes, Bytes>> all;
      for (const Region& region : list)
        for_each_run(region, [&](Bytes offset, Bytes length) { all.emplace_back(region.buffer, offset, length); });
      return all;
    };
    EXPECT_EQ(runs(folded(regions)), runs(regions));
    EXPECT_EQ(folded(regions).size(), count);
  };
  expect_same_bytes({}, 0);
  expect_same_bytes({at(0, 2), at(5, 2), at(10, 2)}, 1);
  expect_same_bytes({at(10, 2), at(5, 2), at(0, 2), at(4, 2)}, 2);
  expect_same_bytes({at(0, 2), at(5, 2), at(10, 3), at(15, 3)}, 2);
  expect_same_bytes({at(0, 2), at(5, 2, Buffer::scratch), at(10, 2)}, 3);
  expect_same_bytes({at(3, 2), at(3, 2), at(3, 2)}, 3);  // no region repeats the same bytes
  expect_same_bytes(
      {{Buffer::input, 0, 2, {{{2, 5}, {}, {}}}}, at(10, 2), {Buffer::input, 15, 2, {{{1, 0}, {3, 9}, {}}}}, at(20, 2)}, 3);
}

}  // namespace
}  // namespace quadrille
