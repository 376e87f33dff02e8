// SPDX-License-Identifier: BSD-3-Clause
// The exchange from a group of senders to a group of receivers [liu2002, section 5].
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"
#include "support/why_not.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// The ranks of each group, in any order among others. Counts differ.
Problem between(Count p, const std::vector<Rank>& senders, const std::vector<Rank>& receivers) {
  std::vector<TrafficEntry> entries;
  for (const Rank from : senders)
    for (const Rank to : receivers) entries.push_back({from, to, 1 + (7 * from + 3 * to) % 11});
  return Problem::alltoallv(p, std::move(entries));
}

void expect_right(const Problem& problem, const std::string& where) {
  for (const char* specification : {"groups:grain=2", "groups:stages=two,counts=known", "groups:grain=1,counts=known"}) {
    const Schedule schedule = make_schedule(problem, specification);
    for (const Finding& finding : verify(schedule, {.port_limit = 1}))
      FAIL() << specification << ", " << where << ": " << to_string(finding);
    if (problem.ranks <= 8) EXPECT_EQ(judge(schedule), "") << specification << ", " << where;
  }
}

TEST(Groups, AreVerifiedForAllSizes) {
  for (Count senders = 1; senders <= 9; ++senders)
    for (Count receivers = 1; receivers <= 9; ++receivers) {
      std::vector<Rank> first(index(senders)), rest(index(receivers));
      std::iota(first.begin(), first.end(), 0);
      std::iota(rest.begin(), rest.end(), senders);
      expect_right(between(senders + receivers, first, rest), fmt::format("{} to {}", senders, receivers));
    }
}

TEST(Groups, MayOverlapAndLeaveRanksOut) {
  for (unsigned senders = 0; senders < 32; ++senders)
    for (unsigned receivers = 0; receivers < 32; receivers += 3) {
      std::vector<Rank> from, to;
      for (Rank rank = 0; rank < 5; ++rank) {
        if (senders >> rank & 1) from.push_back(rank);
        if (receivers >> rank & 1) to.push_back(rank);
      }
      expect_right(between(6, from, to), fmt::format("masks {} to {}", senders, receivers));
    }
}

TEST(Groups, NeedARankThatSendsOrReceivesNothing) {
  const Problem all = make_traffic(5, {.kind = TrafficKind::equal, .typical = 3});
  EXPECT_NE(why_not(applies(all, parse_choice(all, "groups"))).find("every rank sends something"), std::string::npos);
  const Problem one = make_traffic(5, {.kind = TrafficKind::all_to_one, .typical = 3});
  EXPECT_TRUE(applies(one, parse_choice(one, "groups")));
}

Count best_steps(Count ranks) {
  const RankArray array(ranks, RankArray::best_columns(ranks));
  return array.row_steps() + array.column_steps();
}

// If every message has data, the rounds are those of the senders' array, of the crossing, and of the columns.
TEST(Groups, HaveTheRoundsOfTheirArrays) {
  for (const auto& [senders, receivers] :
       std::vector<std::pair<Count, Count>>{{1, 1}, {1, 16}, {16, 1}, {16, 48}, {48, 16}, {13, 37}, {5, 11}, {32, 32}}) {
    const Count p = senders + receivers;
    const Problem problem = make_traffic(p, {.kind = TrafficKind::groups, .typical = 0, .senders = senders});
    std::vector<Rank> first(index(senders)), rest(index(receivers));
    std::iota(first.begin(), first.end(), 0);
    std::iota(rest.begin(), rest.end(), senders);
    std::vector<TrafficEntry> entries;
    for (const Rank from : first)
      for (const Rank to : rest) entries.push_back({from, to, 8 * p});
    const Problem full = Problem::alltoallv(p, std::move(entries));
    const Count larger = std::max(senders, receivers), smaller = std::min(senders, receivers);
    const RankArray array(larger, RankArray::best_columns(larger));
    const Count least_height = array.height(array.columns() - 1),
                crossing = std::max(array.columns(), (smaller + least_height - 1) / least_height) + array.column_steps();
    EXPECT_EQ(figures(make_schedule(full, "groups:stages=two,counts=known")).c1, crossing) << senders << " to " << receivers;
    EXPECT_EQ(figures(make_schedule(full, "groups:grain=1,counts=known")).c1, crossing + best_steps(senders))
        << senders << " to " << receivers;
    EXPECT_EQ(figures(make_schedule(problem, "groups:counts=known")).c1, 0) << "nobody sends anything";
  }
}

// If the numbers of the senders' and receivers' arrays divide all counts, every sender holds the same after dealing: no rank sends
// or receives more than 4 L.
TEST(Groups, DealEvenly) {
  for (const auto& [senders, receivers] : std::vector<std::pair<Count, Count>>{{16, 48}, {48, 16}, {9, 4}, {16, 16}, {4, 60}}) {
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < senders; ++from) entries.push_back({from, senders + from % receivers, 16 * senders});
    const Problem problem = Problem::alltoallv(senders + receivers, std::move(entries));
    const Bytes heaviest = Traffic(problem).heaviest();
    const Figures counted = figures(make_schedule(problem, "groups:grain=1,counts=known"));
    EXPECT_LE(counted.traffic_out, 3 * heaviest) << senders << " to " << receivers;
    EXPECT_LE(counted.traffic_in, 3 * heaviest) << senders << " to " << receivers;
  }
}

}  // namespace
}  // namespace quadrille
