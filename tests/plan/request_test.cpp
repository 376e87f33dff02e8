// SPDX-License-Identifier: BSD-3-Clause
// Ranks compare what they ask for when they make a plan; every difference is reported on all ranks.
#include "plan/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "plan/plan.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using ::testing::StartsWith;

constexpr Rank ranks = 3;

struct Asked {
  Problem problem;
  PlanOptions options;
};

using Change = std::function<void(Asked&)>;

Problem with_counts(Collective collective, std::vector<Bytes> counts) {
  Problem problem{.collective = collective, .ranks = ranks};
  problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return problem;
}

// Rank 2 makes a changed request. Returns the error sentence, which must be the same on all ranks.
std::string said(const Asked& asked, const Change& change) {
  std::array<std::string, ranks> sentences;
  run_threads(ranks, [&](Communicator& threads) {
    Asked mine = asked;
    if (mine.options.algorithm == decltype(mine.options.algorithm)("auto"))
      mine.options.algorithm = "";  // the default algorithm, because a plan that chooses leaves policy and executor open
    if (threads.rank() == 2) change(mine);
    try {
      plan(threads, mine.problem, mine.options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::misuse);
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
    EXPECT_NO_THROW(plan(threads, Problem::alltoall(ranks, 8)));
  });
  EXPECT_EQ(sentences[0], sentences[1]);
  EXPECT_EQ(sentences[0], sentences[2]);
  return sentences[0];
}

TEST(Request, OfATableSchedulePassedInMatchesThatOfItsAlgorithm) {
  const Problem problem = Problem::alltoall(ranks, 1);
  const Schedule made = make_schedule(problem, "bruck:radix=2");
  run_threads(ranks, [&](Communicator& threads) {
    const Rank me = threads.rank();
    const auto planned = [&](const std::string& algorithm) {
      return me == 2 ? plan_schedule(threads, made, false, {}) : plan(threads, problem, {.algorithm = algorithm});
    };
    Plan exchange = planned("bruck:radix=2");
    EXPECT_EQ(exchange.algorithm(), specification(made));
    const std::array input{static_cast<char>('a' + me), static_cast<char>('d' + me), static_cast<char>('g' + me)};
    std::array<char, ranks> output{};
    exchange.execute(input.data(), output.data());
    const char first = static_cast<char>('a' + ranks * me);
    EXPECT_EQ(output, (std::array{first, static_cast<char>(first + 1), static_cast<char>(first + 2)}));
    try {
      planned("shift");
      ADD_FAILURE() << "they ask for the same";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the algorithms of alltoall differ: rank 2 gives bruck:"));
    }
  });
}

TEST(Request, NamesTheFieldThatDiffers) {
  const Asked exchange{Problem::alltoall(ranks, 8), {}};
  const Asked broadcast{problem_of(Collective::broadcast, ranks, 8), {}};
  const Asked shares{with_counts(Collective::allgatherv, {1, 2, 3}), {}};
  Asked sum{problem_of(Collective::reduce, ranks, 8), {.operation = built_in_operator("sum", "i32")}};
  sum.problem.element_bytes = 4;
  EXPECT_EQ(said(exchange, [](Asked&) {}), "");
  EXPECT_EQ(said(shares, [](Asked&) {}), "");
  EXPECT_EQ(said(sum, [](Asked&) {}), "");
  const std::vector<std::tuple<Asked, Change, std::string>> cases{
      {exchange, [](Asked& mine) { mine.problem = problem_of(Collective::allgather, ranks, 8); },
       "the order of collectives differs: rank 2 is in allgather, rank 0 in alltoall"},
      {exchange, [](Asked& mine) { mine.problem.block_bytes = 16; }, "the sizes of alltoall differ: rank 2 gives 16 B, rank 0 8 B"},
      {broadcast, [](Asked& mine) { mine.problem.root = 1; }, "the roots of broadcast differ: rank 2 gives root 1, rank 0 root 0"},
      {sum, [](Asked& mine) { mine.options.operation = built_in_operator("max", "i32"); },
       "the operators of reduce differ: rank 2 gives max, rank 0 sum"},
      {sum, [](Asked& mine) { mine.options.operation = built_in_operator("sum", "f32"); },
       "the element types of reduce differ: rank 2 gives f32, rank 0 i32"},
      {sum,
       [](Asked& mine) {
         Operator wider = *mine.options.operation;
         wider.element_bytes = mine.problem.element_bytes = 8;
         mine.options.operation = std::make_shared<const Operator>(wider);
       },
       "the values of 'element size' of reduce differ: rank 2 gives 8 B, rank 0 4 B"},
      {sum, [](Asked& mine) { mine.problem.commutative = false; },
       "the values of 'commutative' of reduce differ: rank 2 gives false, rank 0 true"},
      {sum, [](Asked& mine) { mine.problem.reproducible = true; },
       "the values of 'reproducible' of reduce differ: rank 2 gives true, rank 0 false"},
      {shares,
       [](Asked& mine) {
         mine.problem = with_counts(Collective::allgatherv, {1, 2, 4});
       },
       "the counts of allgatherv differ: rank 2 gives 1,2,4, rank 0 1,2,3"},
      {exchange,
       [](Asked& mine) {
         mine.problem.nodes = {0, 1, 1};
       },
       "the values of 'nodes' of alltoall differ: rank 2 gives 0,1,1, rank 0 0,0,0"},
      {exchange,
       [](Asked& mine) {
         mine.problem.grid = {3, 1};
       },
       "the values of 'grid' of alltoall differ: rank 2 gives 3,1, rank 0 none"},
      {exchange, [](Asked& mine) { mine.options.algorithm = "shift"; },
       "the algorithms of alltoall differ: rank 2 gives shift, rank 0 direct:segments=1"},
      {exchange, [](Asked& mine) { mine.options.policy = Policy::dataflow; },
       "the values of 'policy' of alltoall differ: rank 2 gives dataflow, rank 0 blocking"},
      {exchange, [](Asked& mine) { mine.options.executor = Executor::shared; },
       "the values of 'executor' of alltoall differ: rank 2 gives shared, rank 0 automatic"},
      {exchange, [](Asked& mine) { mine.options.longest_message = 9; },
       "the values of 'longest_message' of alltoall differ: rank 2 gives 9, rank 0 1073741824"},
      {exchange, [](Asked& mine) { mine.options.keep_step = true; },
       "the values of 'keep_step' of alltoall differ: rank 2 gives true, rank 0 false"},
  };
  for (const auto& [asked, change, words] : cases) EXPECT_THAT(said(asked, change), StartsWith(words + ";"));
}

// Lists that are too long to be shown are compared nevertheless.
TEST(Request, ComparesLongLists) {
  run_threads(70, [](Communicator& threads) {
    std::vector<Bytes> counts(70, 1);
    if (threads.rank() == 69) counts[69] = 2;
    Problem problem{.collective = Collective::allgatherv, .ranks = 70};
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
    try {
      plan(threads, problem);
      ADD_FAILURE() << "the ranks agree";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("the counts of allgatherv differ: rank 69 gives 70 numbers of fingerprint "));
      EXPECT_THAT(error.what(), HasSubstr(", rank 0 70 numbers of fingerprint "));
    }
  });
}

TEST(Request, ComparesTheCountsOfAnAlltoallv) {
  const std::vector<Bytes> counts{0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const auto& [algorithm, words] : std::vector<std::pair<std::string, std::string>>{
           {"padded-bruck", "rank 2 has other counts than rank 0"},
           {"direct", "rank 2 is to send 70 B to rank 1, which expects 7 B; compare their counts"}}) {
    const Asked asked{with_counts(Collective::alltoallv, counts), {.algorithm = algorithm}};
    EXPECT_EQ(said(asked, [](Asked&) {}), "") << algorithm;
    EXPECT_THAT(said(asked,
                     [&](Asked& mine) {
                       std::vector<Bytes> others = counts;
                       others[7] = 70;  // from rank 2 to rank 1
                       mine.problem = with_counts(Collective::alltoallv, others);
                     }),
                HasSubstr(words));
  }
}

// If one rank cannot do what it asks for, the others get its reason, whatever else they ask for.
TEST(Request, ReportsWhyARankCannotDoIt) {
  std::array<std::string, ranks> sentences;
  run_threads(ranks, [&](Communicator& threads) {
    try {
      plan(threads, Problem::alltoall(ranks, 8),
           {.algorithm = threads.rank() == 1 ? "no-such" : "direct", .buffers = threads.rank() == 2 ? 3 : 2});
    } catch (const Error& error) {
      sentences[static_cast<std::size_t>(threads.rank())] = error.what();
    }
  });
  EXPECT_THAT(sentences[1], HasSubstr("no-such"));
  EXPECT_EQ(sentences[0], "rank 1: " + sentences[1]);
  EXPECT_EQ(sentences[2], "buffers is 3; it is 1 or 2");
}

}  // namespace
}  // namespace quadrille
