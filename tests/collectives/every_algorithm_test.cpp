// SPDX-License-Identifier: BSD-3-Clause
// Every row of the table: verified and interpreted, with its symmetry and figures checked; exhaustively for few ranks,
// with seeded random settings for more.
#include <gtest/gtest.h>

#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

void expect_right(const Problem& problem, const Choice& choice) {
  const Schedule schedule = make_schedule(problem, choice);
  SCOPED_TRACE(specification(schedule) + ", " + description(problem));
  Coverage coverage;
  for (const Finding& finding : verify(schedule, {}, &coverage)) ADD_FAILURE() << to_string(finding);
  if (!coverage.symmetry.empty()) {
    EXPECT_EQ(coverage.compared, problem.ranks);
    Schedule all_ranks = schedule;
    all_ranks.symmetry.reset();
    for (const Finding& finding : verify(all_ranks)) ADD_FAILURE() << to_string(finding);
  }
  const Figures counted = figures(schedule, /*every_rank=*/true);
  EXPECT_EQ(figures(schedule), counted);
  for (const Bound& bound : lower_bounds(problem, counted.ports, counted.c1))
    EXPECT_GE(bound.figure == "c1" ? counted.c1 : counted.c2, bound.value) << bound.figure << ", " << bound.source;
}

TEST(EveryAlgorithm, IsVerifiedForAllSettingsAndFewRanks) {
  for (const Algorithm* algorithm : all_algorithms())
    for (Count p = 1; p <= extent(6, 8, 13); ++p)
      for (const Bytes b : {0, 1, 3}) {
        for (const Problem& problem : problems_of(*algorithm, p, b))
          for (const Choice& choice : all_choices(*algorithm, problem)) expect_right(problem, choice);
        if (HasFailure()) return;
      }
}

// Numbers of ranks around powers of two and squares, and a prime; long tests use all numbers up to 66.
TEST(EveryAlgorithm, IsVerifiedForStandardSettingsAndMoreRanks) {
  std::vector<Count> numbers_of_ranks =
      extent<std::vector<Count>>({15, 16, 18}, {14, 15, 16, 17, 18, 20, 24, 31, 32, 33, 36, 47, 64}, {});
  for (Count p = 14; p <= 66 && long_tests(); ++p) numbers_of_ranks.push_back(p);
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : numbers_of_ranks) {
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const Choice choice = standard_choice(*algorithm, problem);
        if (applies(problem, choice)) expect_right(problem, choice);
      }
      if (HasFailure()) return;
    }
}

TEST(EveryAlgorithm, IsVerifiedForRandomSettings) {
  const std::uint64_t seed = 20260101;
  std::mt19937_64 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const Algorithm* algorithm : all_algorithms())
    for (int i = 0; i < extent(4, 5, 30); ++i) {
      const Count p = 14 + static_cast<Count>(random() % 80);
      Problem problem = problem_of(algorithm->collective, p, static_cast<Bytes>(random() % 50),
                                   static_cast<Rank>(random() % static_cast<std::uint64_t>(p)), random());
      if (algorithm->node_ports) problem.nodes = placements(p)[random() % 3];
      Choice choice = standard_choice(*algorithm, problem);
      for (const Parameter& parameter : algorithm->parameters) {
        ParameterValue& value = choice.parameters[std::string(parameter.name)];
        if (!parameter.choices.empty())
          value = parameter.choices[random() % parameter.choices.size()];
        else
          value = std::uniform_int_distribution<Count>(
              parameter.least, std::max(parameter.least, std::min(parameter.most ? parameter.most(problem) : Count{1000},
                                                                  most_telling_number(problem))))(random);
      }
      if (applies(problem, choice)) expect_right(problem, choice);
      if (HasFailure()) return;
    }
}

TEST(EveryAlgorithm, GivesTheRightResultInTheInterpreter) {
  for (const Algorithm* algorithm : all_algorithms()) {
    for (Count p = 1; p <= extent(5, 8, 9); ++p)
      for (const Bytes b : {0, 1, 5}) {
        for (const Problem& problem : problems_of(*algorithm, p, b))
          for (const Choice& choice : thinned(all_choices(*algorithm, problem), extent<std::size_t>(10, 30, 1000)))
            EXPECT_EQ(judge(make_schedule(problem, choice)), "") << specification(choice) << " " << description(problem);
      }
  }
}

// With too many ranks for a replay, a stated symmetry is checked on a sample, and only if a rank's program is short.
TEST(EveryAlgorithm, HasItsStatedSymmetryWithManyRanks) {
  const Count p = 1009;
  for (const Algorithm* algorithm : all_algorithms()) {
    const Problem problem = problem_of(algorithm->collective, p, 1);
    const Choice choice = standard_choice(*algorithm, problem);
    if (applies(problem, choice))
      EXPECT_EQ(check_symmetry(make_schedule(problem, choice), {1, 2, 17, 503, 504, 505, p - 2, p - 1}), std::nullopt)
          << algorithm->id;
  }
}

// The data of all ranks reaches almost the limit of `check`, 2^62 bytes. For one rank, imaginary-node needs four times as much.
TEST(EveryAlgorithm, AcceptsBlocksLargerThanAnyMemory) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 2, 8}) {
      const Bytes most = ((Bytes{1} << 62) - 1) / (p * p);
      const Problem problem = problem_of(algorithm->collective, p, is_irregular(algorithm->collective) ? most / 2 : most);
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      if (p == 1 && algorithm->id == "imaginary-node")
        EXPECT_THROW(make_schedule(problem, choice).program(0), Error);
      else
        EXPECT_TRUE(verify(make_schedule(problem, choice)).empty()) << algorithm->id << " among " << p << " ranks";
    }
}

}  // namespace
}  // namespace quadrille
