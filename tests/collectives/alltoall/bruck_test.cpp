// SPDX-License-Identifier: BSD-3-Clause
// Bruck's index algorithm: exact figures compared with the formulas, worked examples, and properties of the covers other than a
// fixed radix.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {
namespace {

Figures count(Count n, Count radix, Count ports, const std::string& rest = "", Bytes b = 1) {
  return figures(make_schedule(Problem::alltoall(n, b), fmt::format("bruck:radix={},ports={}{}", radix, ports, rest)));
}

// An independent evaluation of the formula. It goes digit by digit and counts the slots whose digit x is z.
struct BruckFigures {
  Count c1 = 0, c2 = 0;
};

BruckFigures formula(Count n, Count r, Count k) {
  BruckFigures result;
  for (Count place = 1; place < n; place *= r) {
    const Count h = std::min(r, (n + place - 1) / place);
    const auto slots_with = [&](Count z) {
      const Count whole = n / (place * r), rest = n % (place * r);
      return whole * place + std::clamp<Count>(rest - z * place, 0, place);
    };
    result.c1 += (h - 1 + k - 1) / k;
    for (Count z = 1; z < h; z += k) result.c2 += slots_with(z);
  }
  return result;
}

TEST(Bruck, HasTheFiguresOfTheFormulaForAllRadicesAndPorts) {
  for (Count n = 1; n <= 64; ++n)
    for (Count r = 2; r <= std::max<Count>(2, n); ++r)
      for (Count k = 1; k <= std::min<Count>(8, std::max<Count>(1, n - 1)); ++k)
        for (const char* form : {",form=zero-rotation", ",form=classical"}) {
          const Figures counted = count(n, r, k, form);
          const BruckFigures exact = formula(n, r, k);
          ASSERT_EQ(counted.c1, exact.c1) << n << ' ' << r << ' ' << k << form;
          ASSERT_EQ(counted.c2, exact.c2) << n << ' ' << r << ' ' << k << form;
          ASSERT_LE(counted.ports, k);
        }
}

TEST(Bruck, HasTheFiguresOfTheWorkedExamples) {
  struct Example {
    Count n, k, r, c1, c2;
  };
  for (const auto& [n, k, r, c1, c2] : std::vector<Example>{{5, 1, 2, 3, 5},
                                                            {5, 2, 3, 2, 4},
                                                            {5, 1, 5, 4, 4},
                                                            {8, 1, 2, 3, 12},
                                                            {9, 2, 3, 2, 6},
                                                            {64, 1, 2, 6, 192},
                                                            {64, 1, 64, 63, 63},
                                                            {64, 3, 4, 3, 48},
                                                            {6, 2, 3, 2, 5},
                                                            {64, 1, 3, 8, 158},
                                                            {64, 1, 4, 9, 144},
                                                            {64, 1, 8, 14, 112}}) {
    const Figures counted = count(n, r, k, "", 16);
    EXPECT_EQ(counted.c1, c1) << n << ' ' << r << ' ' << k;
    EXPECT_EQ(counted.c2, 16 * c2) << n << ' ' << r << ' ' << k;
  }
}

TEST(Bruck, MovesTheBlocksOfTheWorkedExample) {  // n = 5, k = 1, r = 2: hops +1 of slots {1,3}, +2 of {2,3}, +4 of {4}
  const Program program = make_schedule(Problem::alltoall(5, 1), "bruck:radix=2,form=classical").program(0);
  std::vector<std::pair<Rank, std::vector<Bytes>>> moves;
  for (const Round& round : program.rounds)
    for (const Message& message : round.sends) {
      moves.push_back({message.peer, {}});
      for (const Region& region : message.regions)
        for_each_run(region, [&](Bytes offset, Bytes length) {
          for (Bytes i = 0; i < length; ++i) moves.back().second.push_back(offset + i);
        });
      std::sort(moves.back().second.begin(), moves.back().second.end());
    }
  EXPECT_EQ(moves, (std::vector<std::pair<Rank, std::vector<Bytes>>>{{1, {1, 3}}, {2, {2, 3}}, {4, {4}}}));
}

TEST(Bruck, BalancedLevelsAreNeverWorseForRadixPortsPlusOne) {
  int better = 0, cases = 0;
  for (Count n = 2; n <= 80; ++n)
    for (Count k = 1; k <= std::min<Count>(8, n - 1); ++k) {
      if (k + 1 > std::max<Count>(2, n)) continue;
      const Figures positional = count(n, k + 1, k), balanced = count(n, k + 1, k, ",level=balanced");
      ASSERT_EQ(balanced.c1, positional.c1) << n << ' ' << k;
      ASSERT_LE(balanced.c2, positional.c2) << n << ' ' << k;
      better += balanced.c2 < positional.c2 ? 1 : 0;
      ++cases;
    }
  EXPECT_EQ(better, 394);
  EXPECT_EQ(cases, 604);
  EXPECT_EQ(count(45, 5, 4).c2, 39);
  EXPECT_EQ(count(45, 5, 4, ",level=balanced").c2, 19);
  EXPECT_EQ(count(25, 4, 3).c2, 23);
  EXPECT_EQ(count(25, 4, 3, ",level=balanced").c2, 14);
  EXPECT_EQ(count(60, 6, 5).c2, 46);
  EXPECT_EQ(count(60, 6, 5, ",level=balanced").c2, 22);
  EXPECT_EQ(count(5, 3, 2, ",level=balanced").c2, 2);
}

TEST(Bruck, HalvingIsNeverWorseThanRadixTwo) {
  for (Count n = 2; n <= 256; ++n) {
    const Figures halving = count(n, 2, 1, ",level=halving"), positional = count(n, 2, 1);
    ASSERT_EQ(halving.c1, positional.c1) << n;
    ASSERT_LE(halving.c2, positional.c2) << n;
  }
  EXPECT_EQ(count(9, 2, 1, ",level=halving").c2, 12);
  EXPECT_EQ(count(17, 2, 1, ",level=halving").c2, 30);
  EXPECT_EQ(count(35, 2, 1, ",level=halving").c2, 80);
}

TEST(Bruck, HasShortProgramsForAMillionRanks) {
  for (const Count p : {Count{1'048'576}, Count{1'000'003}}) {
    const Program program = make_schedule(Problem::alltoall(p, 8), "bruck").program(p / 3);
    std::size_t bytes_held = sizeof program + program.rounds.size() * sizeof(Round);
    for (const Round& round : program.rounds)
      for (const auto* messages : {&round.sends, &round.receives})
        for (const Message& message : *messages) bytes_held += sizeof message + message.regions.size() * sizeof(Region);
    EXPECT_LT(bytes_held, std::size_t{1} << 20);
    EXPECT_EQ(program.rounds.size(), 20u);
  }
}

TEST(Bruck, RefusesHalvingOnSeveralPorts) {
  const Problem problem = Problem::alltoall(9, 1);
  EXPECT_FALSE(applies(problem, parse_choice(problem, "bruck:level=halving,ports=2")));
  EXPECT_TRUE(applies(problem, parse_choice(problem, "bruck:level=halving")));
}

}  // namespace
}  // namespace quadrille
