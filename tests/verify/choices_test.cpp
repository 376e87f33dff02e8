// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

using ::testing::SizeIs;

template <class Change>
Schedule changed(const char* algorithm, Count ranks, Change&& change) {
  Schedule schedule = make_schedule(Problem::alltoall(ranks, 4), algorithm);
  schedule.symmetry.reset();
  schedule.program = [made = schedule.program, change](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds) change(rank, round);
    return program;
  };
  return schedule;
}

// All choices, each for what those before it do not explain.
std::vector<SuspectChoice> all_choices_of(const Schedule& schedule) {
  const std::vector<Finding> findings = verify(schedule, {.most_findings = most_counted_findings});
  Investigation known(schedule, findings);
  Choices choices(known);
  std::vector<SuspectChoice> list;
  while (auto choice = choices.best()) {
    std::size_t explained = 0;
    for (const std::size_t i : choice->suspects) {
      const Explained& its = choices.suspect(i);
      for (std::size_t k = 0; k < its.wrong.size(); ++k)
        if (its.explains(k, choice->round) && !known.assigned[known.wrong[its.wrong[k]].finding]) {
          known.assigned[known.wrong[its.wrong[k]].finding] = true;
          ++explained;
        }
    }
    EXPECT_EQ(explained, choice->findings);
    list.push_back(std::move(*choice));
  }
  for (const WrongByte& wrong : known.wrong) EXPECT_TRUE(known.assigned[wrong.finding]);
  return list;
}

TEST(Choices, ThoseThatExplainMoreComeFirst) {
  const auto choices = all_choices_of(changed("shift", 8, [](Rank rank, Round& round) {
    for (Local& local : round.locals)
      if (rank == 1) local.source[0].offset = 0;
    for (Message& message : round.receives)
      if (rank == 5 && message.peer == 3) message.regions[0].offset = 4 * 4;
  }));
  ASSERT_THAT(choices, SizeIs(2));
  EXPECT_EQ(choices[0].findings, 2u) << "a block is at the place of another";
  EXPECT_EQ(choices[1].findings, 1u);
  for (const SuspectChoice& choice : choices) EXPECT_THAT(choice.suspects, SizeIs(1));
}

TEST(Choices, AreSetsIfMostMembersAreWrong) {
  const auto with_right = [](Count right) {
    return all_choices_of(changed("shift", 8, [=](Rank rank, Round& round) {
      for (Local& local : round.locals)
        if (rank >= right) local.source[0].offset = (local.source[0].offset + 4) % 32;
    }));
  };
  EXPECT_THAT(with_right(3), SizeIs(1)) << "five of eight";
  EXPECT_EQ(with_right(3)[0].text, "the same at 5 of 8 ranks");
  EXPECT_THAT(with_right(4), SizeIs(4)) << "four of eight are four mistakes";
}

// Operations that are missing at every rank would explain anything.
TEST(Choices, IndependentMistakesAreNoSetOfMissingOperations) {
  for (const char* algorithm : {"ring", "bruck"}) {
    const auto choices = all_choices_of(changed(algorithm, 32, [](Rank rank, Round& round) {
      std::minstd_rand random(static_cast<unsigned>(1 + rank * 1000 + round.number));
      random.discard(10);
      for (Message& message : round.sends)
        if (random() % 40 == 0 && message.regions[0].offset >= 4) message.regions[0].offset -= 4;
    }));
    EXPECT_GT(choices.size(), 2u) << algorithm;
    for (const SuspectChoice& choice : choices) EXPECT_LT(choice.suspects.size(), 16u) << algorithm << ": " << choice.text;
  }
}

// Findings that ask for a missing operation in different rounds are not explained by one.
TEST(Choices, AMissingOperationIsOfOneRound) {
  const Explained missing{{{}, 0, 1}, {7, 8}, {{1, 3}, {4, 6}}};
  std::vector<bool> first, second;
  for (Count round = 0; round <= 7; ++round) {
    first.push_back(missing.explains(0, round));
    second.push_back(missing.explains(1, round));
  }
  EXPECT_EQ(first, (std::vector<bool>{false, true, true, true, false, false, false, false}));
  EXPECT_EQ(second, (std::vector<bool>{false, false, false, false, true, true, true, false}));
  EXPECT_TRUE(missing.explains(0, {})) << "an operation that is there has no round";
}

}  // namespace
}  // namespace quadrille
