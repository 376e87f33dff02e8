// SPDX-License-Identifier: BSD-3-Clause
// The least number of matchings, compared with the best division that a search over all divisions finds.
#include "cost/matchings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "quadrille/cost.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using Loads = std::vector<PairLoad>;

// Can the exchanges from number `next` on be put into steps in which no node has two? `busy` has the nodes of each step as bits.
// An exchange takes a step after that of an equal one before it, and at most one step that is still empty.
bool fit(const std::vector<std::pair<Count, Count>>& exchanges, std::size_t next, std::size_t after, std::vector<unsigned>& busy) {
  if (next == exchanges.size()) return true;
  const bool repeats = next > 0 && exchanges[next] == exchanges[next - 1];
  const unsigned both = 1u << exchanges[next].first | 1u << exchanges[next].second;
  for (std::size_t step = repeats ? after : 0; step < busy.size(); ++step) {
    if ((busy[step] & both) != 0) continue;
    const bool was_empty = busy[step] == 0;
    busy[step] |= both;
    if (fit(exchanges, next + 1, step + 1, busy)) return true;
    busy[step] &= ~both;
    if (was_empty) break;
  }
  return false;
}

bool fit(Loads loads, Count steps) {
  std::stable_sort(loads.begin(), loads.end(), [](const PairLoad& a, const PairLoad& b) { return a.amount > b.amount; });
  std::vector<std::pair<Count, Count>> exchanges;
  for (const PairLoad& load : loads)
    exchanges.insert(exchanges.end(), static_cast<std::size_t>(load.amount), {load.one, load.other});
  std::vector<unsigned> busy(static_cast<std::size_t>(steps), 0);
  return fit(exchanges, 0, 0, busy);
}

// Returns the least number of matchings, by search.
Count least_by_search(const Loads& loads) {
  Count steps = 0;
  while (!fit(loads, steps)) ++steps;
  return steps;
}

// Returns the best odd set's bound, of all sets.
Count odd_set_by_search(const Loads& loads, Count nodes) {
  Count most = 0;
  for (unsigned set = 0; set < 1u << nodes; ++set) {
    const auto count = __builtin_popcount(set);
    if (count < 3 || count % 2 == 0) continue;
    Count within = 0;
    for (const PairLoad& load : loads)
      if ((set >> load.one & 1u) != 0 && (set >> load.other & 1u) != 0) within += load.amount;
    most = std::max(most, (within + count / 2 - 1) / (count / 2));
  }
  return most;
}

Loads of_alltoall(const std::vector<Count>& sizes) {
  Loads loads;
  for (std::size_t one = 0; one < sizes.size(); ++one)
    for (std::size_t other = one + 1; other < sizes.size(); ++other)
      loads.push_back({static_cast<Count>(one), static_cast<Count>(other), sizes[one] * sizes[other]});
  return loads;
}

Loads random_loads(std::mt19937_64& bits, Count nodes, Count most) {
  Loads loads;
  for (Count one = 0; one < nodes; ++one)
    for (Count other = one + 1; other < nodes; ++other)
      if (const auto amount = static_cast<Count>(bits() % static_cast<std::uint64_t>(most + 1)); amount > 0)
        loads.push_back({one, other, amount});
  return loads;
}

TEST(Matchings, AreTheLeastOfAllDivisionsOrOneFewer) {
  std::mt19937_64 bits(60);
  Count by_odd_sets = 0, one_more = 0;
  for (int drawn = 0; drawn < testing::extent(1000, 10000, 100000); ++drawn) {
    const Count nodes = 2 + static_cast<Count>(bits() % 5);
    const Loads loads = random_loads(bits, nodes, nodes < 5 ? 4 : 2);
    const MatchingBounds bounds = matching_bounds(loads);
    const Count least = least_by_search(loads);
    EXPECT_EQ(bounds.least(), std::max(bounds.degree, odd_set_by_search(loads, nodes)));
    EXPECT_GE(least, bounds.least());
    EXPECT_LE(least, std::max(bounds.degree + 1, bounds.odd_set)) << "chen2019";
    by_odd_sets += bounds.odd_set > bounds.degree ? 1 : 0;
    one_more += least > bounds.least() ? 1 : 0;
  }
  EXPECT_GT(by_odd_sets, 20) << "the test must see sets that need more steps than their busiest node";
  EXPECT_LT(one_more, 20);
}

TEST(Matchings, OfNodesOfAnAlltoall) {
  const std::tuple<std::vector<Count>, Count, Count> table[] = {
      {{1, 2, 3}, 9, 11},     {{2, 2}, 4, 4},         {{4, 4, 4}, 32, 48},          {{1, 1, 1, 8}, 24, 24},
      {{4, 3, 2, 1}, 24, 26}, {{3, 3, 3, 2}, 24, 27}, {{4, 1, 4, 1, 4, 1}, 44, 48}, {{2, 5, 2, 5, 3}, 60, 60}};
  for (const auto& [sizes, degree, least] : table) {
    const MatchingBounds bounds = matching_bounds(of_alltoall(sizes));
    EXPECT_EQ(bounds.degree, degree);
    EXPECT_EQ(bounds.least(), least);
    Problem problem = Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), 7);
    for (std::size_t node = 0; node < sizes.size(); ++node)
      problem.nodes.insert(problem.nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<Count>(node));
    const std::vector<Bound> stated = lower_bounds_by_matchings(problem);
    ASSERT_EQ(stated.size(), 2u);
    EXPECT_EQ(stated[0].value, degree);
    EXPECT_EQ(std::max(stated[0].value, stated[1].value), least);
    if (sizes.size() < 4) {
      EXPECT_EQ(least_by_search(of_alltoall(sizes)), least);
    }
    // The algorithm's one round has all exchanges; those of the clustered one are matchings already.
    const Workload all_at_once = workload(make_schedule(problem, "direct"), {.nodes = true});
    EXPECT_EQ(all_at_once.stages.at(0).rounds.at(0).matchings, least);
    EXPECT_EQ(all_at_once.stages.at(0).rounds.at(0).matched, 7 * least);
    for (const StageFigures& stage : workload(make_schedule(problem, "clustered"), {.nodes = true}).stages)
      for (const RoundFigures& round : stage.rounds) EXPECT_LE(round.matchings, 1);
  }
}

// The three larger nodes have 48 exchanges among themselves, of which a step has one. The search finds so many matchings.
TEST(Matchings, OfAlternatingNodesCanBeReached) { EXPECT_TRUE(fit(of_alltoall({4, 1, 4, 1, 4, 1}), 48)); }

TEST(Matchings, OfManyNodesUseSetsThatRemain) {
  std::mt19937_64 bits(7);
  for (int drawn = 0; drawn < 200; ++drawn) {
    const Count nodes = 11 + static_cast<Count>(bits() % 3);
    const Loads loads = random_loads(bits, nodes, 9);
    const MatchingBounds bounds = matching_bounds(loads);
    EXPECT_LE(bounds.odd_set, odd_set_by_search(loads, nodes)) << "a bound, though perhaps not the best";
    std::vector<Count> sizes(static_cast<std::size_t>(nodes));
    for (Count& size : sizes) size = 1 + static_cast<Count>(bits() % 30);
    EXPECT_EQ(matching_bounds(of_alltoall(sizes)).odd_set, odd_set_by_search(of_alltoall(sizes), nodes));
  }
  Loads triangle{{0, 1, 5}, {1, 2, 5}, {2, 0, 5}};  // 15 steps; the other ten pairs of nodes have one each
  for (Count node = 3; node < 23; node += 2) triangle.push_back({node, node + 1, 1});
  EXPECT_EQ(matching_bounds(triangle).least(), 15);
  // Nine busier nodes that have nothing to do with the triangle hide none of its exchanges, and neither do twelve.
  for (const Count end : {12, 15}) {
    Loads both{{0, 1, 9}, {1, 2, 9}, {2, 0, 9}};
    for (Count node = 3; node < end; ++node)
      for (Count other = node + 1; other < end; ++other) both.push_back({node, other, 2});
    EXPECT_EQ(matching_bounds(both).odd_set, 27);
  }
}

TEST(Matchings, OfUnequalLengthsTakeTheBytesOfTheBusiestSet) {
  const NodeRanks nodes(std::vector<Count>{0, 0, 1, 2});
  // Both directions of ranks 0 and 2 are one exchange of 10 bytes. The three nodes have 10 + 3 + 4 bytes, one at a time.
  EXPECT_EQ(least_matchings({{0, 2, 10}, {2, 0, 9}, {1, 3, 3}, {3, 2, 4}}, nodes).steps, 3);
  EXPECT_EQ(least_matchings({{0, 2, 10}, {2, 0, 9}, {1, 3, 3}, {3, 2, 4}}, nodes).bytes, 17);
  EXPECT_EQ(least_matchings({{0, 2, 10}, {3, 1, 3}}, nodes).bytes, 13);
  EXPECT_EQ(least_matchings({}, nodes).steps, 0);
  // Seven equal exchanges among five nodes, which have two at a time, need four steps of full length.
  const NodeRanks five(std::vector<Count>{0, 1, 2, 3, 4});
  EXPECT_EQ(least_matchings({{0, 1, 6}, {0, 2, 6}, {1, 2, 6}, {1, 3, 6}, {2, 4, 6}, {3, 4, 6}, {0, 3, 6}}, five).bytes, 24);
}

TEST(Matchings, HaveNoBoundsOfOtherCollectives) {
  EXPECT_TRUE(lower_bounds_by_matchings(Problem::allgather(4, 1)).empty());
  Problem uneven = Problem::alltoallv(4, {{0, 2, 5}, {2, 0, 5}, {0, 3, 1}, {0, 1, 9}});
  uneven.nodes = {0, 0, 1, 1};
  EXPECT_EQ(lower_bounds_by_matchings(uneven).at(0).value, 2) << "of ranks 0 and 2, and of ranks 0 and 3";
}

}  // namespace
}  // namespace quadrille
