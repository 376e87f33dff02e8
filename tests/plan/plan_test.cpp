// SPDX-License-Identifier: BSD-3-Clause
// What a plan refuses, on both sides of each border, with the sentence; and what it knows of itself once it is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "groups/chooser.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/processes.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr Count p = 2;

// All ranks ask for the same plan. Returns the sentence of the refusal, which is the same on all ranks; empty if the plan is made.
std::string refusal_to_all(const Problem& problem, const PlanOptions& options) {
  std::array<std::string, p> sentences;
  run_threads(p, [&](Communicator& threads) {
    try {
      plan(threads, problem, options);
    } catch (const Error& error) {
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
    EXPECT_NO_THROW(plan(threads, Problem::alltoall(p, 8))) << "the group must still be usable";
  });
  EXPECT_EQ(sentences[0], sentences[1]);
  return sentences[0];
}

std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    return error.what();
  }
  return "";
}

Problem sum_of_elements(Bytes element_bytes, bool commutative = true) {
  Problem sum = problem_of(Collective::allreduce, p, 16);
  sum.element_bytes = element_bytes;
  sum.commutative = commutative;
  return sum;
}

TEST(Plans, AreForAsManyRanksAsTheGroupHas) {
  EXPECT_EQ(refusal_to_all(Problem::alltoall(3, 8), {}), "the problem has 3 ranks and the group 2");
  EXPECT_EQ(refusal_to_all(Problem::alltoall(1, 8), {}), "the problem has 1 rank and the group 2");
  EXPECT_EQ(refusal_to_all(Problem::alltoall(2, 8), {}), "");
}

TEST(Plans, OfReductionsNeedAnOperatorThatFitsTheProblem) {
  const auto f64 = built_in_operator("sum", "f64"), matrices = built_in_operator("matmul2", "f64");
  EXPECT_EQ(refusal_to_all(sum_of_elements(8), {}), "allreduce needs an operator; give it in the options");
  EXPECT_EQ(refusal_to_all(sum_of_elements(8), {.operation = f64}), "");
  EXPECT_THAT(refusal_to_all(sum_of_elements(4), {.operation = f64}),
              HasSubstr("the problem's elements have 4 bytes, but those of"));
  Problem product = problem_of(Collective::allreduce, p, 64);
  product.element_bytes = matrices->element_bytes;
  product.commutative = false;
  EXPECT_EQ(refusal_to_all(product, {.operation = matrices}), "");
  product.commutative = true;
  EXPECT_THAT(refusal_to_all(product, {.operation = matrices}), EndsWith("is not"));
  EXPECT_EQ(refusal_to_all(sum_of_elements(8, false), {.operation = f64}), "") << "an operator may commute though nobody needs it";
}

TEST(Plans, RefuseOptionsBeyondTheirBorders) {
  const Problem problem = Problem::alltoall(p, 8);
  const auto with_buffers = [&](int buffers) { return refusal_to_all(problem, {.algorithm = "shift", .buffers = buffers}); };
  EXPECT_EQ(with_buffers(0), "buffers is 0; it is 1 or 2");
  EXPECT_EQ(with_buffers(1), "");
  EXPECT_EQ(with_buffers(2), "");
  EXPECT_EQ(with_buffers(3), "buffers is 3; it is 1 or 2");
  const auto with_longest = [&](Bytes longest) {
    return refusal_to_all(problem, {.algorithm = "shift", .longest_message = longest});
  };
  EXPECT_EQ(with_longest(0), "longest_message is 0; it is 1 to 2^30 bytes");
  EXPECT_EQ(with_longest(1), "");
  EXPECT_EQ(with_longest(Bytes{1} << 30), "");
  EXPECT_EQ(with_longest((Bytes{1} << 30) + 1), "longest_message is 1073741825; it is 1 to 2^30 bytes");
}

// An element may lie in several pieces only if these are adjacent.
TEST(Plans, RefuseLayoutsThatCutElements) {
  const auto on = [&](const Layout& input) {
    return refusal_to_all(sum_of_elements(8),
                          {.algorithm = "direct", .operation = built_in_operator("sum", "f64"), .layouts = {input, {}}});
  };
  EXPECT_EQ(on({{0, 16}}), "");
  EXPECT_EQ(on({{0, 8}, {20, 8}}), "");
  EXPECT_EQ(on({{0, 5}, {5, 11}}), "");
  EXPECT_EQ(on({{0, 5}, {6, 11}}), "a piece of a layout ends after 5 bytes of an element of 8");
  EXPECT_EQ(on({{0, 12}, {20, 4}}), "a piece of a layout ends after 4 bytes of an element of 8");
}

TEST(Plans, KeepStepOnlyRoundByRound) {
  const Problem problem = Problem::alltoall(p, 8);
  EXPECT_EQ(refusal_to_all(problem, {.algorithm = "shift", .keep_step = true}), "");
  for (const Policy policy : {Policy::nonblocking, Policy::dataflow})
    EXPECT_EQ(refusal_to_all(problem, {.algorithm = "shift", .policy = policy, .keep_step = true}),
              "ranks that keep step must run round by round; use policy blocking");
  EXPECT_EQ(refusal_to_all(problem, {.algorithm = "vendor", .keep_step = true}),
            "vendor has no schedule with rounds; leave keep_step out");
}

TEST(Plans, OfTheVendorNeedAnMpiLibraryAndCanonicalBuffers) {
  const Problem problem = Problem::alltoall(p, 8), broadcast = problem_of(Collective::broadcast, p, 8);
  const std::string no_mpi = "vendor does not apply: vendor needs an MPI library, and these ranks run without one";
  const std::string canonical = "vendor runs on canonical buffers; leave layouts and in_place out";
  EXPECT_EQ(refusal_to_all(problem, {.algorithm = "vendor"}), no_mpi);
  EXPECT_EQ(refusal_to_all(problem, {.algorithm = "vendor", .in_place = true}), canonical);
  EXPECT_EQ(refusal_to_all(problem, {.algorithm = "vendor", .layouts = {.input = {{0, 16}}}}), canonical);
  EXPECT_EQ(refusal_to_all(broadcast, {.algorithm = "vendor", .in_place = true}), no_mpi) << "MPI_Bcast has only one buffer";
}

// Groups outside of the library's own functions have no chooser.
TEST(Plans, ChooseOnlyInGroupsThatCan) {
  run_threads(p, [](Communicator& threads) {
    const Met met = meet(threads, {}, CopyCosts{}, {}, std::make_shared<Process>());
    ASSERT_TRUE(met.node) << met.no_sharing;
    EXPECT_EQ(sentence_of([&] { plan(*met.node, Problem::alltoall(p, 8)); }),
              "this group cannot choose an algorithm; name one in the options");
    EXPECT_EQ(plan(*met.node, Problem::alltoall(p, 8), {.algorithm = "shift"}).algorithm(), "shift");
    met.node->barrier();
  });
}

TEST(Plans, TakeBuffersThatTouchButNotBuffersThatOverlap) {
  run_threads(p, [](Communicator& threads) {
    Plan exchange = plan(threads, Problem::alltoall(p, 4), {.algorithm = "shift"});
    std::array<std::byte, 24> memory{};
    std::byte* const middle = memory.data() + 8;
    EXPECT_NO_THROW(exchange.execute(middle, middle + 8));
    EXPECT_NO_THROW(exchange.execute(middle, middle - 8));
    for (const std::ptrdiff_t shift : {-7, 0, 7}) {
      EXPECT_THAT(sentence_of([&] { exchange.execute(middle, middle + shift); }),
                  HasSubstr("input and output overlap; give execute two separate buffers"))
          << shift;
      EXPECT_THAT(sentence_of([&] { exchange.start(middle, middle + shift); }), HasSubstr("give start two separate buffers"));
    }
  });
}

TEST(Plans, RunInPlaceIfAndOnlyIfTheyWereMadeSo) {
  run_threads(p, [](Communicator& threads) {
    Plan apart = plan(threads, Problem::alltoall(p, 4)), in_place = plan(threads, Problem::alltoall(p, 4), {.in_place = true});
    std::array<std::byte, 16> memory{};
    const std::string not_made = "this plan was not made in place; make it with the option in_place";
    const std::string made = "this plan was made in place; run it by execute_in_place";
    EXPECT_EQ(sentence_of([&] { apart.execute_in_place(memory.data()); }), not_made);
    EXPECT_EQ(sentence_of([&] { apart.start_in_place(memory.data()); }), not_made);
    EXPECT_EQ(sentence_of([&] { in_place.execute(memory.data(), memory.data() + 8); }), made);
    EXPECT_EQ(sentence_of([&] { in_place.start(memory.data(), memory.data() + 8); }), made);
    EXPECT_EQ(sentence_of([&] { in_place.execute_in_place(memory.data()); }), "");
    EXPECT_EQ(sentence_of([&] { in_place.execute_in_place(nullptr); }),
              "buffer is a null pointer, and this rank's buffer has 8 bytes; give execute a buffer");
  });
}

// A rank without data needs no buffer: only the root of a gather has an output.
TEST(Plans, TakeNoBufferWhereARankHasNoData) {
  run_threads(p, [](Communicator& threads) {
    Plan gather = plan(threads, problem_of(Collective::gather, p, 4), {.algorithm = "linear"});
    std::array<std::byte, 4> own{};
    std::array<std::byte, 8> all{};
    if (threads.rank() == 0)
      EXPECT_EQ(sentence_of([&] { gather.execute(own.data(), nullptr); }),
                "output is a null pointer, and this rank's output has 8 bytes; give execute a buffer");
    EXPECT_NO_THROW(gather.execute(own.data(), threads.rank() == 0 ? all.data() : nullptr));
  });
}

TEST(Plans, KnowTheirAlgorithmAndTheirMemory) {
  run_threads(p, [](Communicator& threads) {
    const Plan bruck = plan(threads, Problem::alltoall(p, 100), {.algorithm = "bruck:form=classical"});
    EXPECT_THAT(bruck.algorithm(), HasSubstr("form=classical"));
    EXPECT_EQ(bruck.scratch_bytes(), 200);
    EXPECT_EQ(bruck.executor(), Executor::shared);
    EXPECT_FALSE(bruck.decision()) << "the caller decided";
    EXPECT_TRUE(plan(threads, Problem::alltoall(p, 100)).decision());
    EXPECT_EQ(plan(threads, Problem::alltoall(p, 100), {.algorithm = "shift"}).scratch_bytes(), 0);
  });
}

TEST(Effort, HasTheNamesOfTheCommandsOption) {
  EXPECT_EQ(name(Effort::estimate), "estimate");
  EXPECT_EQ(name(Effort::measure), "measure");
  EXPECT_EQ(name(Effort::exhaustive), "exhaustive");
  EXPECT_EQ(name(Effort::wisdom_only), "wisdom_only");
}

}  // namespace
}  // namespace quadrille
