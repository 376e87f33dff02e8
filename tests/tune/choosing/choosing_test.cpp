// SPDX-License-Identifier: BSD-3-Clause
// Choices of plans on threads, which have no MPI library: what decides, what is refused, and what a race teaches.
#include "tune/choosing/choosing.hpp"

#include <gtest/gtest.h>

#include <array>

#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

constexpr Count p = 2;
constexpr Bytes unknown = 3'000'000'017;  // so long a block that no test of this process races one like it

// All ranks ask for the same; returns the sentence of the refusal, which is the same on all ranks.
std::string refusal(const PlanOptions& options, Bytes block = 77) {
  std::array<std::string, p> sentences;
  run_threads(p, [&](Communicator& threads) {
    try {
      choose_and_plan(threads, Problem::alltoall(p, block), options);
    } catch (const Error& error) {
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
    threads.barrier();
  });
  EXPECT_EQ(sentences[0], sentences[1]);
  return sentences[0];
}

TEST(Choosing, RefusesWhatNeedsANamedAlgorithm) {
  EXPECT_EQ(refusal({.keep_step = true}), "keep_step needs a named algorithm; name one, or leave keep_step out");
  EXPECT_EQ(refusal({.buffers = 3}), "buffers is 3; it is 1 or 2");
  EXPECT_NE(refusal({.effort = Effort::wisdom_only}, unknown), "") << "nothing was measured";
  EXPECT_NE(refusal({.executor = Executor::hybrid}), "") << "threads are on one node";
  EXPECT_EQ(refusal({}), "");
}

std::string of_decision(const Decision& decision) { return std::string(name(decision.source)) + ' ' + to_string(decision.chosen); }

// What rank 0 decides is what a plan runs, and all ranks hear it.
TEST(Choosing, AllRanksHearWhatRank0Decides) {
  run_threads(p, [](Communicator& threads) {
    const Problem problem = Problem::alltoall(p, 64);
    bool decides = false;
    const std::string told = told_decision(threads, problem, {}, [&](const Decision& decision) {
      decides = true;
      EXPECT_EQ(decision.chosen.executor, Executor::shared);
      return of_decision(decision);
    });
    EXPECT_EQ(decides, threads.rank() == 0);
    const Plan made = choose_and_plan(threads, problem, {});
    EXPECT_EQ(told, of_decision(*made.decision()));
    EXPECT_EQ(made.algorithm(), specification(made.decision()->chosen.algorithm));
  });
}

TEST(Choosing, AllRanksThrowIfRank0CannotDecide) {
  std::array<std::string, p> sentences;
  run_threads(p, [&](Communicator& threads) {
    try {
      told_decision(threads, Problem::alltoall(p, unknown), {.effort = Effort::wisdom_only}, of_decision);
    } catch (const Error& error) {
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
    threads.barrier();
  });
  EXPECT_NE(sentences[0], "");
  EXPECT_EQ(sentences[1], "rank 0: " + sentences[0]);
}

// A race teaches the ranks what they did not know; the next plan chooses by that, whatever its effort.
TEST(Choosing, LearnsFromARace) {
  run_threads(p, [](Communicator& threads) {
    const Problem problem = Problem::alltoall(p, 123);
    const std::string measured = told_decision(threads, problem, {.effort = Effort::measure}, of_decision, 0.02);
    EXPECT_EQ(measured.substr(0, 7), "wisdom ");
    EXPECT_EQ(told_decision(threads, problem, {}, of_decision), measured);
    EXPECT_EQ(told_decision(threads, problem, {.effort = Effort::wisdom_only}, of_decision), measured);
  });
}

// Results of an operator that is not built in cannot be checked, so nothing is raced, and the estimate decides.
TEST(Choosing, RacesOnlyWhatItCanCheck) {
  run_threads(p, [](Communicator& threads) {
    Operator own = *built_in_operator("sum", "f64");
    own.name = "of the caller's own";
    Problem problem = problem_of(Collective::allreduce, p, 512);
    problem.element_bytes = own.element_bytes;
    const std::string told = told_decision(
        threads, problem, {.effort = Effort::measure, .operation = std::make_shared<const Operator>(own)}, of_decision, 0.02);
    EXPECT_NE(told.substr(0, 7), "wisdom ");
  });
}

}  // namespace
}  // namespace quadrille
