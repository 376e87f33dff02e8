// SPDX-License-Identifier: BSD-3-Clause
// The algorithms `bine` of all collectives: figures compared with the formulas, distances with those of binomial butterflies, and
// equal bits at all ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "patterns/bine.hpp"
#include "patterns/integers.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/rounds_and_units.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Figure counted(Collective collective, Count p, const std::string& specification, Bytes units = 1, Rank root = 0) {
  return rounds_and_units(problem_of(collective, p, units * unit, root), specification);
}

TEST(BineCollectives, HaveTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= extent(17, 67, 130); ++p) {
    const Count d = depth(p), folded = is_power(p) ? d : d + 1;
    for (const Rank root : roots_of(Collective::reduce, p, 3)) {
      ASSERT_EQ(counted(Collective::broadcast, p, "bine", 1, root), Figure(d, d)) << p;
      ASSERT_EQ(counted(Collective::reduce, p, "bine", 1, root), Figure(d, d)) << p;
      ASSERT_EQ(counted(Collective::scatter, p, "bine", 1, root), Figure(d, p - 1)) << p;
      ASSERT_EQ(counted(Collective::gather, p, "bine", 1, root), Figure(d, p - 1)) << p;
    }
    ASSERT_EQ(counted(Collective::allreduce, p, "bine:form=whole"), Figure(folded, folded)) << p;
    if (p > 1 && p % 2 != 0) continue;
    ASSERT_EQ(counted(Collective::allgather, p, "bine:first=near"), Figure(d, p - 1)) << p;
    ASSERT_EQ(counted(Collective::reduce_scatter, p, "bine:first=far"), Figure(d, p - 1)) << p;
    ASSERT_EQ(counted(Collective::allreduce, p, "bine:form=shares", p), Figure(2 * d, 2 * (p - 1))) << p;
    if (!is_power(p)) continue;
    ASSERT_EQ(counted(Collective::allgather, p, "bine:first=far"), Figure(d, p - 1)) << p;
    ASSERT_EQ(counted(Collective::reduce_scatter, p, "bine:first=near"), Figure(d, p - 1)) << p;
    ASSERT_EQ(counted(Collective::alltoall, p, "bine"), Figure(d, p / 2 * d)) << p;
  }
}

TEST(BineCollectives, SayWhichNumbersOfRanksTheyNeed) {
  const auto reason = [](Collective collective, Count p, const std::string& specification) -> std::string {
    const Problem problem = problem_of(collective, p, 8);
    const Result<> result = applies(problem, parse_choice(problem, specification));
    return result ? "" : result.error();
  };
  EXPECT_EQ(reason(Collective::allgather, 7, "bine"),
            "it pairs even ranks with odd ones and therefore needs an even number of ranks, not 7");
  EXPECT_EQ(reason(Collective::allgather, 6, "bine"), "") << "the nearest first";
  EXPECT_EQ(reason(Collective::allgather, 6, "bine:first=far"),
            "with large messages for the nearest partners it needs a power of two, not 6 ranks");
  EXPECT_EQ(reason(Collective::reduce_scatter, 6, "bine:first=near"),
            "with large messages for the nearest partners it needs a power of two, not 6 ranks");
  EXPECT_EQ(reason(Collective::reduce_scatter, 9, "bine:first=far"),
            "it pairs even ranks with odd ones and therefore needs an even number of ranks, not 9");
  EXPECT_EQ(reason(Collective::alltoall, 12, "bine"),
            "each block has one way through the butterfly only among a power of two, not among 12 ranks");
  EXPECT_EQ(reason(Collective::allreduce, 9, "bine:form=shares"),
            "it pairs even ranks with odd ones and therefore needs an even number of ranks, not 9");
  for (Count p = 1; p <= 20; ++p)
    for (const Collective collective :
         {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather, Collective::allreduce})
      EXPECT_EQ(reason(collective, p, "bine"), "") << p;
}

TEST(BineCollectives, KeepTheOrderOfRanksInFewCases) {
  const auto kept = [](Collective collective, Count p, const std::string& specification, Rank root = 0) {
    const Problem problem = problem_of(collective, p, 8, root);
    const Choice choice = parse_choice(problem, specification);
    return choice.algorithm->combining(problem, choice.parameters);
  };
  EXPECT_EQ(kept(Collective::reduce, 16, "bine", 10), Combining::fixed_tree);
  EXPECT_EQ(kept(Collective::reduce, 16, "bine", 9), Combining::any_order);
  EXPECT_EQ(kept(Collective::reduce, 13, "bine", 8), Combining::rank_order);
  EXPECT_EQ(kept(Collective::reduce_scatter, 4, "bine:first=near"), Combining::fixed_tree);
  EXPECT_EQ(kept(Collective::reduce_scatter, 4, "bine:first=far"), Combining::any_order);
  EXPECT_EQ(kept(Collective::allreduce, 4, "bine:form=shares"), Combining::fixed_tree);
  EXPECT_EQ(kept(Collective::allreduce, 4, "bine:form=whole"), Combining::any_order);
  EXPECT_EQ(kept(Collective::allreduce, 8, "bine:form=shares"), Combining::any_order);
  for (const Rank root : {Rank{0}, Rank{8}}) {
    Problem ordered = with_elements_of(problem_of(Collective::reduce, 13, 8, root), 4);
    ordered.commutative = false;
    EXPECT_EQ(applies(ordered, parse_choice(ordered, "bine")).has_value(), root == 8);
  }
}

TEST(BineCollectives, ChooseTheFormByTheLengthOfTheVector) {
  const auto form = [](Count p, Bytes bytes) {
    return word(parse_choice(problem_of(Collective::allreduce, p, bytes), "bine").parameters, "form");
  };
  EXPECT_EQ(form(16, 16384), "whole") << "16 KiB * (4 - 2) / 4 is 8 KiB";
  EXPECT_EQ(form(16, 16388), "shares");
  EXPECT_EQ(form(4, 1 << 20), "whole") << "both forms send as much";
  EXPECT_EQ(form(15, 1 << 20), "whole") << "an odd number of ranks";
}

// The sum over all messages of bytes times the distance of the ranks on a ring.
Count way_of_bytes(Collective collective, Count p, const std::string& specification) {
  const Schedule schedule = make_schedule(problem_of(collective, p, 1), specification);
  Count sum = 0;
  for (Rank rank = 0; rank < p; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        sum += bytes(message.regions) * std::min(modulo(message.peer - rank, p), modulo(rank - message.peer, p));
  return sum;
}

// With the nearest partner for the most data a rank sends p / 2^(i+1) blocks to the partner of step i. In a binomial butterfly,
// whose distance is 2^i, each step costs the same.
TEST(BineCollectives, SendBytesAThirdLessFar) {
  for (Count d = 2; d <= 9; ++d) {
    const Count p = Count{1} << d;
    Count by_shares = 0, by_halves = 0, once = 0;
    for (Count step = 0; step < d; ++step) {
      by_shares += p / (Count{2} << step) * std::abs(bine_distance(step));
      by_halves += p / 2 * std::abs(bine_distance(step));
      once += std::abs(bine_distance(step));
    }
    ASSERT_EQ(by_shares, (d * p + (p - (d % 2 == 0 ? 1 : -1)) / 3) / 3);
    ASSERT_EQ(way_of_bytes(Collective::allgather, p, "bine:first=far"), p * by_shares);
    ASSERT_EQ(way_of_bytes(Collective::allgather, p, "recursive-doubling:first=far"), p * d * p / 2);
    ASSERT_EQ(way_of_bytes(Collective::reduce_scatter, p, "bine:first=near"), p * by_shares);
    ASSERT_EQ(way_of_bytes(Collective::reduce_scatter, p, "recursive-halving:first=near"), p * d * p / 2);
    ASSERT_EQ(way_of_bytes(Collective::allreduce, p, "bine:form=whole"), p * once);
    ASSERT_EQ(way_of_bytes(Collective::allreduce, p, "recursive-doubling"), p * (p - 1));
    ASSERT_EQ(way_of_bytes(Collective::alltoall, p, "bine"), p * by_halves);
    ASSERT_EQ(way_of_bytes(Collective::alltoall, p, "hypercube"), p * p / 2 * (p - 1));
    ASSERT_EQ(way_of_bytes(Collective::broadcast, p, "bine"), by_shares);
    ASSERT_EQ(way_of_bytes(Collective::broadcast, p, "binomial"), d * p / 2);
  }
  EXPECT_EQ(way_of_bytes(Collective::allreduce, 512, "bine:form=whole"), 512 * 341) << "0.667 of 512 * 511";
}

// An operator that commutes but is not associative shows in which brackets each rank combined. An allreduce must use the same at
// all ranks, because floating-point sums depend on them.
TEST(BineCollectives, AllreduceGivesTheSameBitsToAllRanks) {
  using Element = std::uint32_t;
  const auto operation = std::make_shared<const quadrille::Operator>(
      quadrille::Operator{.name = "product and 1",
                          .type = "u32",
                          .element_bytes = sizeof(Element),
                          .combine =
                              [](const std::byte* source, std::byte* target, Count elements, OperandOrder) {
                                for (Count i = 0; i < elements; ++i, source += sizeof(Element), target += sizeof(Element)) {
                                  Element s = 0, t = 0;
                                  std::memcpy(&s, source, sizeof s);
                                  std::memcpy(&t, target, sizeof t);
                                  t = s * t + 1;
                                  std::memcpy(target, &t, sizeof t);
                                }
                              },
                          .mpi = {}});
  std::mt19937 random(1);
  for (Count p = 1; p <= 40; ++p)
    for (const char* specification : {"bine:form=whole", "bine:form=shares"}) {
      const Problem problem = with_elements_of(problem_of(Collective::allreduce, p, 5), sizeof(Element));
      const Choice choice = parse_choice(problem, specification);
      if (!applies(problem, choice)) continue;
      std::vector<ByteVector> inputs(static_cast<std::size_t>(p), ByteVector(static_cast<std::size_t>(problem.block_bytes)));
      for (ByteVector& input : inputs)
        for (std::byte& byte : input) byte = static_cast<std::byte>(random());
      const auto outputs = interpret(make_schedule(problem, choice), inputs, {.operation = operation});
      for (const ByteVector& output : outputs) ASSERT_EQ(output, outputs.front()) << p << ' ' << specification;
    }
}

TEST(BineCollectives, AllreduceByShareIsAnInstanceOfTheTwoParts) {
  const Problem problem = problem_of(Collective::allreduce, 8, 20);
  const Schedule instance = make_schedule(problem, "bine:form=shares"),
                 parts = make_schedule(problem, "reduce-scatter-allgather:scatter=bine,gather=bine");
  for (Rank rank = 0; rank < 8; ++rank) EXPECT_EQ(instance.program(rank), parts.program(rank));
}

// A million ranks are counted by two representatives.
TEST(BineCollectives, AreCountedForAMillionRanks) {
  constexpr Count p = Count{1} << 20;
  EXPECT_EQ(counted(Collective::allgather, p, "bine"), Figure(20, p - 1));
  EXPECT_EQ(counted(Collective::allgather, 1'000'002, "bine"), Figure(20, 1'000'001));
  EXPECT_EQ(counted(Collective::allreduce, p, "bine:form=whole"), Figure(20, 20));
}

}  // namespace
}  // namespace quadrille
