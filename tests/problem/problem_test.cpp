// SPDX-License-Identifier: BSD-3-Clause
// Tests which problems are refused, and that postconditions cover outputs exactly.
#include "quadrille/problem.hpp"

#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

ErrorCode refused(const Problem& problem) {
  try {
    check(problem);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::environment;
}

TEST(Problems, AreCheckedFieldByField) {
  const auto with = [](auto change) {
    Problem problem;
    problem.ranks = 4;
    problem.block_bytes = 8;
    change(problem);
    return problem;
  };
  EXPECT_EQ(refused(with([](Problem& p) { p.ranks = 0; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.ranks = -3; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.block_bytes = -1; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.root = 4; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.nodes = {0, 0}; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.grid = {2, 3}; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.grid = {-2, -2}; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) { p.collective = Collective::alltoallv; })), ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) {
              p.collective = Collective::allreduce;
              p.element_bytes = 3;
            })),
            ErrorCode::misuse);
  EXPECT_EQ(refused(with([](Problem& p) {
              p.collective = Collective::gatherv;
              p.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{1, 2, -3, 4});
            })),
            ErrorCode::misuse);
}

TEST(Problems, AreRefusedFromTwoToThe62Bytes) {
  EXPECT_NO_THROW(Problem::alltoall(1 << 20, (Bytes{1} << 22) - 1));
  EXPECT_THROW(Problem::alltoall(1 << 20, Bytes{1} << 22), Error);
  EXPECT_THROW(Problem::alltoall(Count{1} << 40, 1), Error);
  EXPECT_NO_THROW(Problem::alltoall(Count{1} << 40, 0));
  Problem vector = Problem::alltoall(1 << 20, 0);
  vector.collective = Collective::broadcast;
  vector.block_bytes = (Bytes{1} << 42) - 1;
  EXPECT_NO_THROW(check(vector));
  vector.block_bytes = Bytes{1} << 42;
  EXPECT_EQ(refused(vector), ErrorCode::too_large);
  constexpr Bytes limit = Bytes{1} << 62;
  for (const Collective collective : all_collectives()) {
    if (collective == Collective::barrier) continue;
    Problem alone = testing::problem_of(collective, 1, 8);
    for (const bool is_too_large : {false, true}) {
      const Bytes bytes = is_too_large ? limit : limit - 8;
      if (is_irregular(collective))
        alone.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{bytes});
      else
        alone.block_bytes = bytes;
      if (is_too_large)
        EXPECT_EQ(refused(alone), ErrorCode::too_large) << name(collective);
      else
        EXPECT_NO_THROW(check(alone)) << name(collective);
    }
  }
  EXPECT_NO_THROW(Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, limit - 2}, {1, 0, 1}}));
  EXPECT_THROW(Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, limit - 1}, {1, 0, 1}}), Error);
}

TEST(Postconditions, CoverEveryOutputExactly) {
  for (const Collective collective : all_collectives())
    for (Count p = 1; p <= 6; ++p)
      for (Rank root = 0; root < (is_rooted(collective) ? p : 1); ++root) {
        const Problem problem = testing::problem_of(collective, p, 4, root);
        for (Rank rank = 0; rank < p; ++rank) {
          Bytes at = 0;
          for (const ExpectedPiece& piece : expected_output(problem, rank)) {
            EXPECT_EQ(piece.offset, at);
            EXPECT_GT(piece.length, 0);
            EXPECT_TRUE(0 <= piece.first && piece.first <= piece.last && piece.last < p);
            for (Rank source = piece.first; source <= piece.last; ++source)
              EXPECT_LE(piece.input_offset + piece.length, input_bytes(problem, source)) << name(collective);
            at += piece.length;
          }
          EXPECT_EQ(at, output_bytes(problem, rank)) << name(collective) << " p=" << p << " rank " << rank;
        }
      }
}

// The facts of a collective must agree with the sizes of its problems.
TEST(Collectives, HaveSizesWhereTheyMoveData) {
  for (const Collective collective : all_collectives()) {
    const Problem small = testing::problem_of(collective, 3, 4, /*root=*/1);
    Bytes given = 0;
    for (Rank rank = 0; rank < 3; ++rank) given += input_bytes(small, rank);
    EXPECT_EQ(moves_data(collective), given > 0) << name(collective);
    EXPECT_EQ(has_blocks(collective), small.block_bytes > 0) << name(collective);
    if (!is_irregular(collective))
      EXPECT_EQ(is_rooted(collective),
                input_bytes(small, 1) != input_bytes(small, 2) || output_bytes(small, 1) != output_bytes(small, 2))
          << name(collective);
  }
  EXPECT_FALSE(moves_data(Collective::barrier));
}

TEST(Collectives, HaveNames) {
  for (const Collective collective : all_collectives()) EXPECT_EQ(collective_named(name(collective)), collective);
  EXPECT_EQ(collective_named("alltoal"), std::nullopt);
}

}  // namespace
}  // namespace quadrille
