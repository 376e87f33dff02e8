// SPDX-License-Identifier: BSD-3-Clause
// Which candidate is the cheapest, by size of block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "quadrille/explain.hpp"

namespace quadrille {
namespace {

using ::testing::HasSubstr;

const Model& linear() { return *find_model("linear"); }

std::vector<Choice> choices(const Problem& problem, const std::vector<std::string>& texts) {
  std::vector<Choice> all;
  for (const std::string& text : texts) all.push_back(parse_choice(problem, text));
  return all;
}

double seconds_at(Bytes bytes, const std::string& algorithm) {
  return price_of(workload_for(linear(), make_schedule(Problem::alltoall(64, bytes), algorithm)), linear(), find_machine("sp1"))
      .blocking_s;
}

// The table of [bruck1997] has the same place.
TEST(CheapestByBlock, FindsTheExactSizeAtWhichTheWinnerChanges) {
  const Problem problem = Problem::alltoall(64, 64);
  std::vector<Bytes> examined;
  const Flips flips = cheapest_by_block(problem, choices(problem, {"bruck:radix=64", "bruck:radix=2"}), linear(),
                                        find_machine("sp1"), {.progress = [&](Bytes bytes) { examined.push_back(bytes); }});
  ASSERT_EQ(flips.list.size(), 2u);
  EXPECT_EQ(flips.list[0].from, 1);
  EXPECT_EQ(flips.list[0].way, "bruck");
  EXPECT_EQ(flips.list[1].way, "bruck:radix=64");
  const Bytes place = flips.list[1].from;
  EXPECT_EQ(place, 107);
  EXPECT_LT(seconds_at(place - 1, "bruck:radix=2"), seconds_at(place - 1, "bruck:radix=64"));
  EXPECT_GT(seconds_at(place, "bruck:radix=2"), seconds_at(place, "bruck:radix=64"));
  EXPECT_EQ(flips.upto, most_block_bytes);
  EXPECT_EQ(flips.note, "");
  EXPECT_GE(examined.size(), 25u);
  EXPECT_EQ(examined.front(), 1);
}

TEST(CheapestByBlock, TakesCandidatesWithoutTheirDefaults) {
  const Problem problem = Problem::alltoall(64, 64);
  const Flips flips =
      cheapest_by_block(problem, {{find_algorithm(Collective::alltoall, "bruck"), {}}}, linear(), find_machine("sp1"));
  ASSERT_EQ(flips.list.size(), 1u);
  EXPECT_EQ(flips.list[0].way, "bruck");
}

TEST(CheapestByBlock, CountsWholeElementsOfReductions) {
  const Problem problem = Problem::allreduce(16, 800, {.element_bytes = 8});
  const Flips flips = cheapest_by_block(problem, choices(problem, {"recursive-doubling", "ring"}), linear(), find_machine("sp1"));
  ASSERT_EQ(flips.list.size(), 2u) << flips.note;
  EXPECT_EQ(flips.list[0].from, 8);
  EXPECT_EQ(flips.list[0].way, "recursive-doubling");
  EXPECT_EQ(flips.list[1].way, "ring");
  EXPECT_EQ(flips.list[1].from % 8, 0);
}

TEST(CheapestByBlock, NeedsToKnowWhatOtherSizesMeanForCounts) {
  const Problem problem = Problem::alltoallv(4, std::vector<Bytes>(16, 8));
  const auto candidates = choices(problem, {"shift", "two-phase"});
  const Flips given = cheapest_by_block(problem, candidates, linear(), find_machine("sp1"));
  EXPECT_TRUE(given.list.empty());
  EXPECT_EQ(given.note, "the sizes are given");
  const Flips scaled =
      cheapest_by_block(problem, candidates, linear(), find_machine("sp1"),
                        {.at_block = [](Bytes bytes) { return Problem::alltoallv(4, std::vector<Bytes>(16, bytes)); }});
  EXPECT_FALSE(scaled.list.empty());
  EXPECT_EQ(scaled.note, "");
}

TEST(CheapestByBlock, SaysWhyItDoesNotSearch) {
  const Problem problem = Problem::alltoall(64, 64);
  const auto candidates = choices(problem, {"bruck", "shift"});
  const auto note = [&](const CheapestOptions& options) {
    const Flips flips = cheapest_by_block(problem, candidates, linear(), find_machine("sp1"), options);
    EXPECT_EQ(flips.list.empty(), !flips.note.empty());
    return flips.note;
  };
  EXPECT_EQ(note({.messages = 500'000}), "");
  EXPECT_THAT(note({.messages = 500'001}), HasSubstr("each size has 500001 messages; name fewer candidates"));
  const auto fail = [](Bytes) -> Problem { throw Error(ErrorCode::too_large, "that is too large"); };
  EXPECT_EQ(note({.at_block = fail}), "that is too large");
}

TEST(CheapestByBlock, RefusesAModelWithoutFigures) {
  const Problem problem = Problem::alltoall(8, 64);
  const auto candidates = choices(problem, {"bruck"});
  EXPECT_THROW(cheapest_by_block(problem, candidates, *find_model("loggp"), find_machine("sp2")), Error);
  EXPECT_THROW(cheapest_by_block(problem, candidates, *find_model("cluster"), find_machine("myrinet")), Error) << "no nodes";
}

TEST(CheapestByBlock, RefusesWhatItCannotCompare) {
  const Problem problem = Problem::alltoall(6, 8);
  const auto refusal = [&](const std::vector<Choice>& candidates) {
    try {
      cheapest_by_block(problem, candidates, linear(), find_machine("sp1"));
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal({}), "there are no candidates to compare; name one at least");
  EXPECT_EQ(refusal({parse_choice(Problem::allgather(6, 8), "ring")}), "allgather/ring is no algorithm for alltoall");
  EXPECT_EQ(refusal({Choice{find_algorithm(Collective::alltoall, "brook"), {}}}),
            "a choice names no algorithm; find_algorithm returns null for a name that it does not know");
}

TEST(CheapestByBlock, SaysThatNoCandidateApplies) {
  const Flips flips =
      cheapest_by_block(Problem::alltoall(6, 8), choices(Problem::alltoall(8, 8), {"xor"}), linear(), find_machine("sp1"));
  EXPECT_TRUE(flips.list.empty());
  EXPECT_EQ(flips.note, "none of the candidates applies");
  EXPECT_EQ(
      cheapest_by_block(Problem::barrier(8), choices(Problem::barrier(8), {"dissemination"}), linear(), find_machine("sp1")).note,
      "a barrier has no blocks");
}

}  // namespace
}  // namespace quadrille
