// SPDX-License-Identifier: BSD-3-Clause
// Tests floating-point sums, which round. For one algorithm the interpreter, threads and all policies give the same bits. If the
// problem is reproducible, all applicable algorithms give the same bits, those of the fixed tree.
#include <gtest/gtest.h>

#include <cstring>

#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/interpreter.hpp"
#include "support/rounding.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

float tree_sum(const std::vector<ByteVector>& inputs, Rank first, Rank last, Bytes offset) {
  if (first == last) return element(inputs, first, offset);
  const Rank split = tree_split(first, last);
  return tree_sum(inputs, first, split - 1, offset) + tree_sum(inputs, split, last, offset);
}

std::vector<ByteVector> tree_sums(const Problem& problem, const std::vector<ByteVector>& inputs) {
  std::vector<ByteVector> outputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    outputs.emplace_back(static_cast<std::size_t>(output_bytes(problem, rank)));
    for (const ExpectedPiece& piece : expected_output(problem, rank))
      for (Bytes at = 0; at < piece.length; at += static_cast<Bytes>(sizeof(float))) {
        const float sum = tree_sum(inputs, piece.first, piece.last, piece.input_offset + at);
        std::memcpy(outputs.back().data() + piece.offset + at, &sum, sizeof sum);
      }
  }
  return outputs;
}

TEST(Reproducible, AllAlgorithmsGiveTheBitsOfTheTree) {
  const auto sum = built_in_operator("sum", "f32");
  for (const Collective collective : reductions()) {
    int applied = 0;
    for (const Count p : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 21})
      for (const Rank root : roots_of(collective, p, 3)) {
        const Problem problem = sums(collective, p, root, true);
        const std::vector<ByteVector> inputs = inputs_that_round(problem);
        const std::vector<ByteVector> expected = tree_sums(problem, inputs);
        int here = 0;
        for (const Algorithm* algorithm : algorithms_for(collective))
          for (const Choice& choice : all_choices(*algorithm, problem, 3)) {
            EXPECT_TRUE(interpret(make_schedule(problem, choice), inputs, {.operation = sum}) == expected)
                << description(problem) << ' ' << algorithm->id;
            ++here;
          }
        EXPECT_GE(here, 1) << description(problem) << ": no algorithm can";
        applied += here;
      }
    EXPECT_GT(applied, 11) << name(collective);
  }
}

TEST(Reproducible, AlgorithmsDifferIfItIsNotDemanded) {
  const auto sum = built_in_operator("sum", "f32");
  const Problem problem = sums(Collective::allreduce, 7, 0, false);
  const std::vector<ByteVector> inputs = inputs_that_round(problem);
  EXPECT_FALSE(interpret(make_schedule(problem, "ring"), inputs, {.operation = sum}) == tree_sums(problem, inputs));
  Problem reproducible = problem;
  reproducible.reproducible = true;
  EXPECT_FALSE(applies(reproducible, parse_choice(reproducible, "ring")));
}

TEST(Reproducible, EveryPolicyGivesTheBitsOfTheInterpreter) {
  const auto sum = built_in_operator("sum", "f32");
  for (const Count p : {3, 4, 5})
    run_threads(p, [&](Communicator& communicator) {
      const auto me = static_cast<std::size_t>(communicator.rank());
      for (const Collective collective : reductions())
        for (const Algorithm* algorithm : algorithms_for(collective)) {
          const Problem problem = sums(collective, p, is_rooted(collective) ? 1 : 0, false);
          const Choice choice = standard_choice(*algorithm, problem);
          if (!applies(problem, choice)) continue;
          const std::vector<ByteVector> inputs = inputs_that_round(problem);
          const ByteVector expected = interpret(make_schedule(problem, choice), inputs, {.operation = sum})[me];
          for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
            Plan made = plan(communicator, problem, {.algorithm = std::string(algorithm->id), .policy = policy, .operation = sum});
            for (int run = 0; run < 5; ++run) {
              ByteVector output(expected.size());
              made.execute(inputs[me].data(), output.data());
              EXPECT_TRUE(output == expected) << description(problem) << ' ' << algorithm->id;
            }
          }
        }
    });
}

}  // namespace
}  // namespace quadrille
