// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, scatter and gather: exact figures compared with the literature's formulas, and worked examples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/rounds_and_units.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Figures count(Collective collective, const std::string& specification, Count p, Bytes b, Rank root = 0) {
  return figures(make_schedule(problem_of(collective, p, b, root), specification));
}

Problem irregular(Collective collective, std::vector<Bytes> counts, Rank root = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = static_cast<Count>(counts.size());
  problem.root = root;
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return problem;
}

// All messages: round, sender, receiver, bytes.
using SizedArrows = std::vector<std::tuple<Count, Rank, Rank, Bytes>>;
SizedArrows sized_arrows(const Schedule& schedule) {
  SizedArrows list;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) list.emplace_back(round.number, rank, message.peer, bytes(message.regions));
  std::sort(list.begin(), list.end());
  return list;
}

TEST(Broadcast, HasTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= extent(17, 67, 130); ++p)
    for (const Rank root : roots_of(Collective::broadcast, p, 3)) {
      const auto of = [&](const std::string& specification, Bytes b) {
        return count(Collective::broadcast, specification, p, b, root);
      };
      const Count d = depth(p), pairs = p - 1;
      const auto expect = [&](const Figures& figures, Count c1, Bytes c2) {
        ASSERT_EQ(figures.c1, c1) << p << ' ' << root;
        ASSERT_EQ(figures.c2, c2) << p << ' ' << root;
      };
      expect(of("binomial", 7), d, 7 * d);
      expect(of("linear:ports=1", 7), pairs, 7 * pairs);
      expect(of("linear", 7), std::min<Count>(1, pairs), p > 1 ? 7 : 0);
      expect(of("scatter-allgather", 3 * p), 2 * d, 2 * 3 * pairs);
      expect(of("scatter-allgather:gather=ring", 3 * p), d + pairs, 2 * 3 * pairs);
      for (const Count n : {1, 2, 5, 11}) {
        const std::string segments = ":segments=" + std::to_string(n);
        expect(of("chain" + segments, 6 * n), p > 1 ? n + p - 2 : 0, p > 1 ? 6 * (n + p - 2) : 0);
        expect(of("circulant" + segments, 6 * n), p > 1 ? n - 1 + d : 0, p > 1 ? 6 * (n - 1 + d) : 0);
      }
    }
}

TEST(Broadcast, AmongEightFromRankFiveIsTheWorkedExample) {
  EXPECT_EQ(sized_arrows(make_schedule(problem_of(Collective::broadcast, 8, 1, 5), "binomial")),
            (SizedArrows{{0, 5, 1, 1}, {1, 1, 3, 1}, {1, 5, 7, 1}, {2, 1, 0, 1}, {2, 3, 2, 1}, {2, 5, 4, 1}, {2, 7, 6, 1}}));
}

TEST(Broadcast, DefaultsToTheBestNumberOfSegments) {
  const auto segments = [](const char* id, Count p, Bytes b) {
    return number(parse_choice(problem_of(Collective::broadcast, p, b), id).parameters, "segments");
  };
  EXPECT_EQ(segments("chain", 2, 1 << 20), 1);
  EXPECT_EQ(segments("chain", 10, 1 << 20), 32);      // sqrt(8 * 128)
  EXPECT_EQ(segments("circulant", 16, 3 << 20), 34);  // sqrt(3 * 384)
  EXPECT_EQ(segments("chain", 1, 100), 1);
  EXPECT_EQ(segments("chain", 100, 0), 1);
  EXPECT_EQ(segments("circulant", 1 << 20, Bytes{1} << 40), 1024);
  EXPECT_THROW(parse_choice(problem_of(Collective::broadcast, 4, 5), "chain:segments=6"), Error);
}

TEST(Broadcast, DeliversAPartialElement) {
  Problem problem = problem_of(Collective::broadcast, 3, 6);
  problem.element_bytes = 4;
  problem.nodes = {0, 0, 1};
  for (const Algorithm* algorithm : algorithms_for(Collective::broadcast))
    EXPECT_TRUE(verify(make_schedule(problem, algorithm->id)).empty()) << algorithm->id;
}

TEST(ScatterGather, HaveTheFiguresOfTheFormulas) {
  for (Count p = 1; p < 70; ++p)
    for (const Rank root : roots_of(Collective::scatter, p, 20))
      for (const Collective collective : {Collective::scatter, Collective::gather}) {
        const Figures tree = count(collective, "binomial", p, 3, root);
        ASSERT_EQ(tree.c1, depth(p)) << p << ' ' << root;
        ASSERT_EQ(tree.c2, 3 * (p - 1)) << p << ' ' << root;
        for (const Count ports : {1, 2, 3}) {
          if (ports > std::max<Count>(1, p - 1)) continue;
          const Figures linear = count(collective, "linear:ports=" + std::to_string(ports), p, 3, root);
          ASSERT_EQ(linear.c1, ceil_divide(p - 1, ports));
          ASSERT_EQ(linear.c2, 3 * ceil_divide(p - 1, ports));
          ASSERT_EQ(std::max(linear.traffic_in, linear.traffic_out), 3 * (p - 1));
        }
      }
}

TEST(ScatterGather, HaveTheSizesOfTheWorkedExamples) {
  const auto of_root = [](Count p) {
    std::vector<Bytes> sizes;
    for (const auto& [round, from, to, size] : sized_arrows(make_schedule(problem_of(Collective::scatter, p, 1), "binomial")))
      if (from == 0) sizes.push_back(size);
    return sizes;
  };
  EXPECT_EQ(of_root(8), (std::vector<Bytes>{4, 2, 1}));
  EXPECT_EQ(of_root(5), (std::vector<Bytes>{1, 2, 1}));
}

TEST(ScatterGather, SendNothingForEmptyShares) {
  for (const Collective collective : {Collective::scatterv, Collective::gatherv})
    for (const char* id : {"binomial", "linear"})
      for (Rank root = 0; root < 6; ++root) {
        for (const std::vector<Bytes>& counts :
             {std::vector<Bytes>{0, 0, 0, 0, 0, 0}, {5, 0, 0, 2, 0, 1}, {0, 0, 0, 0, 0, 9}, {4, 0, 0, 0, 0, 0}}) {
          const Schedule schedule = make_schedule(irregular(collective, counts, root), id);
          EXPECT_TRUE(verify(schedule).empty()) << id << root;
          for (const auto& [round, from, to, size] : sized_arrows(schedule)) EXPECT_GT(size, 0);
        }
        EXPECT_EQ(figures(make_schedule(irregular(collective, {0, 0, 0, 0, 0, 0}, root), id)), Figures{});
      }
}

TEST(Programs, OfAMillionRanksAreShort) {
  const Count p = 1'000'003;
  for (const char* id : {"binomial", "circulant"}) {
    const Schedule schedule = make_schedule(problem_of(Collective::broadcast, p, 8, 17), id);
    for (const Rank rank : {Rank{0}, Rank{17}, Rank{18}, p - 1}) EXPECT_LE(schedule.program(rank).rounds.size(), 30u) << id;
  }
  const Schedule scatter = make_schedule(problem_of(Collective::scatter, p, 8, 17), "binomial");
  EXPECT_EQ(scatter.program(17).rounds.size(), 20u);
  EXPECT_EQ(scatter.program(16).rounds.size(), 1u);
}

// The figures of a broadcast with radix k or fan-out f, and of the same segments up the tree.
TEST(Rooted, TreesWithSeveralBranchesHaveTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= 70; ++p)
    for (Count branches = 2; branches <= 5; ++branches) {
      Count digits = 0, levels = 0;
      for (Count reached = 1; reached < p; reached *= branches) ++digits;
      for (Count reached = 1, width = 1; reached < p; reached += width) width *= branches, ++levels;
      if (branches <= std::max<Count>(2, p))
        for (const char* first : {"far", "near"}) {
          const Figures knomial = count(Collective::broadcast, fmt::format("knomial:radix={},first={}", branches, first), p, 8);
          ASSERT_EQ(knomial.c1, digits) << p << ' ' << branches;
          ASSERT_EQ(knomial.c2, 8 * digits);
        }
      if (branches > p - 1) continue;
      for (const Count segments : {1, 4})
        for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
          const Figures tree = count(collective, fmt::format("tree:fan-out={},segments={}", branches, segments), p, 8);
          ASSERT_EQ(tree.c1, levels + segments - 1) << p << ' ' << branches;
          ASSERT_EQ(tree.c2, tree.c1 * 8 / segments);
        }
    }
}

}  // namespace
}  // namespace quadrille
