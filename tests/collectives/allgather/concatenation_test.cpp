// SPDX-License-Identifier: BSD-3-Clause
// The concatenation algorithm: exact figures compared with the formula, worked examples, unequal sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Schedule make(Count n, Count ports, Bytes b, const std::string& last = "one-round") {
  return make_schedule(problem_of(Collective::allgather, n, b), fmt::format("concatenation:ports={},last={}", ports, last));
}

// Returns the excess: by how many bytes the longest message of the last round exceeds 1/k of that round's bytes. Uses the paper's
// formula and not the library's cut. t is the number of blocks by which p is below the next power of k + 1.
Bytes excess(Count k, Bytes b, Count t) {
  if (k < 3 || t < 1 || t > k - 1) return 0;
  const Bytes e0 = b * t / k;
  Bytes best = 0;
  for (Bytes e = 0; e <= e0; ++e) {
    const Bytes q = (b + (b - e) - 1) / (b - e);
    if (b * (q - 1) * (k / q) + k % q * e <= b * t) best = std::max(best, e);
  }
  return e0 - best;
}

TEST(Concatenation, HasTheFiguresOfTheFormulaForAllRanksPortsAndBlocks) {
  int with_excess = 0;
  for (Count n = 2; n <= 64; ++n)
    for (Count k = 1; k <= std::min<Count>(8, n - 1); ++k)
      for (Bytes b = 1; b <= 16; ++b) {
        SCOPED_TRACE(fmt::format("n={} k={} b={}", n, k, b));
        Count d = 0, power = 1;
        for (; power < n; power *= k + 1) ++d;
        const Bytes least = (b * (n - 1) + k - 1) / k;
        const Bytes more = excess(k, b, power - n);
        with_excess += more > 0 ? 1 : 0;

        const Figures one = figures(make(n, k, b)), two = figures(make(n, k, b, "two-rounds")),
                      best = figures(make(n, k, b, "best"));
        ASSERT_EQ(one.c1, d);
        ASSERT_EQ(one.c2, least + more);
        ASSERT_EQ(two.c1, d + (more > 0 ? 1 : 0));
        ASSERT_EQ(two.c2, least);
        ASSERT_EQ(best, one) << "no excess here is worth a start-up";
        for (const Figures& counted : {one, two}) {
          ASSERT_LE(counted.ports, k);
          ASSERT_EQ(counted.traffic_in, b * (n - 1)) << "no rank receives a byte twice";
          ASSERT_EQ(counted.scratch, 0);
        }
        for (const Bound& bound : lower_bounds(problem_of(Collective::allgather, n, b), k)) {
          ASSERT_EQ(bound.figure == "c1" ? one.c1 : two.c2, bound.value);
        }
      }
  EXPECT_GT(with_excess, 100);
  EXPECT_EQ(figures(make(1, 1, 7)), Figures{});
  EXPECT_EQ(figures(make(9, 2, 0)), Figures{});
}

TEST(Concatenation, HasTheListedExcess) {
  const auto listed = [](Count k, Count t, Bytes first, Bytes last) {
    std::vector<Bytes> list;
    for (Bytes b = first; b <= last; ++b) list.push_back(excess(k, b, t));
    return list;
  };
  EXPECT_EQ(listed(3, 1, 3, 12), (std::vector<Bytes>{1, 1, 1, 2, 2, 2, 3, 3, 3, 4}));
  EXPECT_EQ(listed(3, 2, 1, 24), std::vector<Bytes>(24, 0));
  EXPECT_EQ(listed(5, 2, 3, 12), (std::vector<Bytes>{1, 1, 2, 2, 2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(listed(5, 4, 1, 24), std::vector<Bytes>(24, 0));
}

TEST(Concatenation, DeliversIfTheLastRoundIsCutWithinBlocks) {
  for (Count n = 2; n <= 36; ++n)
    for (Count k = 2; k <= std::min<Count>(8, n - 1); ++k)
      for (const Bytes b : {2, 3, 5})
        for (const char* last : {"one-round", "two-rounds"}) {
          const std::vector<Finding> findings = verify(make(n, k, b, last));
          ASSERT_TRUE(findings.empty()) << n << ' ' << k << ' ' << b << ' ' << last << ": " << to_string(findings[0]);
        }
}

// The offset and the size of each message of rank 0, round by round.
std::vector<std::vector<std::pair<Count, Bytes>>> messages(const Schedule& schedule) {
  std::vector<std::vector<std::pair<Count, Bytes>>> rounds;
  for (const Round& round : schedule.program(0).rounds) {
    auto& list = rounds.emplace_back();
    for (const Message& message : round.sends) list.emplace_back(message.peer, bytes(message.regions));
  }
  return rounds;
}

TEST(Concatenation, SendsTheMessagesOfTheWorkedExamples) {
  using Rounds = std::vector<std::vector<std::pair<Count, Bytes>>>;
  EXPECT_EQ(messages(make(9, 2, 1)), (Rounds{{{1, 1}, {2, 1}}, {{3, 3}, {6, 3}}}));
  EXPECT_EQ(messages(make(9, 2, 3)), (Rounds{{{1, 3}, {2, 3}}, {{3, 9}, {6, 9}}}));
  EXPECT_EQ(messages(make(5, 1, 8)), (Rounds{{{1, 8}}, {{2, 16}}, {{4, 8}}}));
  EXPECT_EQ(messages(make(10, 3, 3)), (Rounds{{{1, 3}, {2, 3}, {3, 3}}, {{4, 6}, {6, 6}, {8, 6}}}));
  EXPECT_EQ(messages(make(15, 3, 3)).back(), (std::vector<std::pair<Count, Bytes>>{{4, 12}, {8, 12}, {12, 9}}));
  EXPECT_EQ(messages(make(4, 2, 2)).back(), (std::vector<std::pair<Count, Bytes>>{{2, 1}, {3, 1}}));
  std::vector<Bytes> sizes;
  const Rounds rounds = messages(make(14, 3, 3));
  for (const auto& [offset, size] : rounds.back()) sizes.push_back(size);
  EXPECT_EQ(sizes, (std::vector<Bytes>{10, 10, 10}));
}

TEST(Concatenation, HasTheFiguresOfTheWorkedExamples) {
  const auto expect = [](const Schedule& schedule, Count c1, Bytes c2) {
    const Figures counted = figures(schedule);
    EXPECT_EQ(counted.c1, c1) << specification(schedule) << ' ' << schedule.problem.ranks;
    EXPECT_EQ(counted.c2, c2) << specification(schedule) << ' ' << schedule.problem.ranks;
  };
  expect(make(9, 2, 1), 2, 4);
  expect(make(9, 2, 3), 2, 12);
  expect(make(5, 1, 16), 3, 64);
  expect(make(10, 3, 3), 2, 9);
  expect(make(15, 3, 3), 2, 15);
  expect(make(15, 3, 3, "two-rounds"), 3, 14);
  expect(make(14, 3, 3), 2, 13);
  expect(make(63, 3, 4), 3, 84);
  expect(make(63, 3, 4, "two-rounds"), 4, 83);
  expect(make(4, 2, 2), 2, 3);
  expect(make(1'048'576, 1, 8), 20, Bytes{1'048'575} * 8);
}

TEST(Concatenation, HasContiguousMessagesExceptWhereTheyWrapAround) {
  const Schedule schedule = make(61, 4, 7);
  for (Rank rank = 0; rank < 61; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const auto* list : {&round.sends, &round.receives})
        for (const Message& message : *list) EXPECT_LE(message.regions.size(), 2u);
}

Schedule make_irregular(std::vector<Bytes> counts, const std::string& specification) {
  Problem problem;
  problem.collective = Collective::allgatherv;
  problem.ranks = static_cast<Count>(counts.size());
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return make_schedule(problem, specification);
}

TEST(Concatenation, WithEqualSharesIsTheRegularOne) {
  for (Count n = 1; n <= 20; ++n)
    for (Count k = 1; k <= std::min<Count>(5, std::max<Count>(1, n - 1)); ++k) {
      const std::string specification = fmt::format("concatenation:ports={},last=two-rounds", k);
      const Schedule irregular = make_irregular(std::vector<Bytes>(static_cast<std::size_t>(n), 6), specification);
      const Schedule regular = make_schedule(problem_of(Collective::allgather, n, 6), specification);
      for (Rank rank = 0; rank < n; ++rank) ASSERT_EQ(irregular.program(rank), regular.program(rank)) << n << ' ' << k;
    }
}

TEST(Concatenation, NeverCostsMoreThanIfAllSharesWereAsLongAsTheLongest) {
  for (Count n = 2; n <= 20; ++n)
    for (Count k = 1; k <= std::min<Count>(5, n - 1); ++k)
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Problem problem = problem_of(Collective::allgatherv, n, 5, 0, seed);
        const Figures counted = figures(make_schedule(problem, fmt::format("concatenation:ports={}", k)));
        const Bytes longest = *std::max_element(problem.counts->begin(), problem.counts->end());
        const Figures regular = figures(make(n, k, longest, "best"));
        ASSERT_LE(counted.c1, regular.c1);
        ASSERT_LE(counted.c2, regular.c2) << n << ' ' << k << ' ' << seed;
      }
}

TEST(Concatenation, AcceptsEmptySharesAndASingleShare) {
  for (const std::vector<Bytes>& counts :
       std::vector<std::vector<Bytes>>{{0, 0, 0}, {0, 9, 0, 0, 0}, {7, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 4}, {3}, {0}})
    for (Count k = 1; k <= std::max<Count>(1, static_cast<Count>(counts.size()) - 1); ++k) {
      const Schedule schedule = make_irregular(counts, fmt::format("concatenation:ports={}", k));
      EXPECT_TRUE(verify(schedule).empty());
      EXPECT_EQ(judge(schedule), "");
    }
}

}  // namespace
}  // namespace quadrille
