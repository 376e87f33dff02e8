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

// All ranks ask for the same; returns the sentence of the refusal, which is the same on all ranks.
std::string refusal(const PlanOptions& options) {
  std::array<std::string, p> sentences;
  run_threads(p, [&](Communicator& threads) {
    try {
      choose_and_plan(threads, Problem::alltoall(p, 77), options);
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
  EXPECT_NE(refusal({.effort = Effort::wisdom_only}), "") << "nothing was measured";
  EXPECT_NE(refusal({.executor = Executor::hybrid}), "") << "threads are on one node";
  EXPECT_EQ(refusal({}), "");
}

TEST(Choosing, FillsInWhatIsChosen) {
  run_threads(p, [](Communicator& threads) {
    const Problem problem = Problem::alltoall(p, 64);
    const Chosen chosen = choose(threads, problem, {});
    ASSERT_TRUE(chosen.decision);
    EXPECT_FALSE(chosen.is_vendor());
    const auto* candidate = std::get_if<Candidate>(&chosen.options.algorithm);
    ASSERT_NE(candidate, nullptr);
    EXPECT_EQ(specification(*candidate), chosen.decision->chosen.algorithm);
    EXPECT_EQ(chosen.options.executor, Executor::shared);
    EXPECT_NE(chosen.knowledge, no_knowledge);
    const Plan made = choose_and_plan(threads, problem, {});
    EXPECT_EQ(made.algorithm(), chosen.decision->chosen.algorithm);
    EXPECT_EQ(made.decision()->situation, chosen.decision->situation);
    EXPECT_EQ(chosen.knowledge, choose(threads, problem, {}).knowledge) << "the same knowledge has the same hash";
  });
}

// A race teaches the ranks what they did not know; the next plan chooses by that, whatever its effort.
TEST(Choosing, LearnsFromARace) {
  run_threads(p, [](Communicator& threads) {
    const Problem problem = Problem::alltoall(p, 123);
    const Chosen measured = choose(threads, problem, {.effort = Effort::measure}, 0.02);
    EXPECT_EQ(measured.decision->source, Source::wisdom);
    EXPECT_EQ(choose(threads, problem, {}).decision->chosen, measured.decision->chosen);
    EXPECT_EQ(choose(threads, problem, {.effort = Effort::wisdom_only}).decision->chosen, measured.decision->chosen);
  });
}

// Results of an operator that is not built in cannot be checked, so nothing is raced, and the estimate decides.
TEST(Choosing, RacesOnlyWhatItCanCheck) {
  run_threads(p, [](Communicator& threads) {
    Operator own = *built_in_operator("sum", "f64");
    own.name = "of the caller's own";
    Problem problem = problem_of(Collective::allreduce, p, 512);
    problem.element_bytes = own.element_bytes;
    const Chosen chosen =
        choose(threads, problem, {.effort = Effort::measure, .operation = std::make_shared<const Operator>(own)}, 0.02);
    EXPECT_NE(chosen.decision->source, Source::wisdom);
  });
}

}  // namespace
}  // namespace quadrille
