// SPDX-License-Identifier: BSD-3-Clause
// Tests that dense and sparse counts give the same Traffic and the same documents.
#include "quadrille/traffic.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

// Returns the same problem with its counts in the dense form.
Problem dense_form(const Problem& problem) {
  std::vector<Bytes> counts;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Bytes count : Traffic(problem).row(from)) counts.push_back(count);
  return Problem::alltoallv(problem.ranks, std::move(counts));
}

TEST(Traffic, IsTheSameDenseAndSparse) {
  for (const Count p : {1, 2, 7, 40}) {
    const Problem sparse = make_traffic(p, {.kind = TrafficKind::sparse, .typical = 20, .density = 0.2, .seed = 5});
    ASSERT_TRUE(sparse.sparse_counts);
    const Problem dense = dense_form(sparse);
    const Traffic a(sparse), b(dense);
    EXPECT_EQ(a.longest(), b.longest());
    EXPECT_EQ(a.heaviest(), b.heaviest());
    for (Rank i = 0; i < p; ++i) {
      EXPECT_EQ(a.sent_by(i), b.sent_by(i));
      EXPECT_EQ(a.received_by(i), b.received_by(i));
      EXPECT_EQ(input_bytes(sparse, i), input_bytes(dense, i));
      EXPECT_EQ(output_bytes(sparse, i), output_bytes(dense, i));
      for (Rank j = 0; j < p; ++j) {
        EXPECT_EQ(a.bytes(i, j), b.bytes(i, j));
        EXPECT_EQ(a.input_offset(i, j), b.input_offset(i, j));
      }
    }
  }
}

TEST(Traffic, OfAnAlltoallIsThatOfEqualCounts) {
  for (const Count p : {1, 2, 7})
    for (const Bytes block : {0, 5}) {
      const Problem regular = Problem::alltoall(p, block),
                    irregular = Problem::alltoallv(p, std::vector<Bytes>(static_cast<std::size_t>(p * p), block));
      const Traffic a(regular), b(irregular);
      EXPECT_EQ(a.longest(), b.longest());
      EXPECT_EQ(a.heaviest(), b.heaviest());
      for (Rank i = 0; i < p; ++i) {
        EXPECT_EQ(a.sent_by(i), b.sent_by(i));
        EXPECT_EQ(a.received_by(i), b.received_by(i));
        EXPECT_EQ(a.row(i), b.row(i));
        EXPECT_EQ(a.sent_bytes(i), b.sent_bytes(i));
        EXPECT_EQ(a.received_bytes(i), b.received_bytes(i));
        for (Rank j = 0; j < p; ++j) EXPECT_EQ(a.input_offset(i, j), b.input_offset(i, j));
      }
    }
}

TEST(Traffic, EveryAlgorithmMakesTheSameProgramsOfBothForms) {
  for (const Count p : {5, 12, 23}) {
    const Problem sparse = make_traffic(p, {.kind = TrafficKind::sparse, .typical = 50, .density = 0.3});
    const Problem dense = dense_form(sparse);
    for (const Algorithm* algorithm : algorithms_for(Collective::alltoallv)) {
      if (!applies(sparse, completed(sparse, {algorithm, {}}))) continue;
      const Schedule a = make_schedule(sparse, algorithm->id), b = make_schedule(dense, algorithm->id);
      for (Rank rank = 0; rank < p; ++rank) EXPECT_EQ(a.program(rank), b.program(rank)) << algorithm->id << " p=" << p;
    }
  }
}

TEST(Traffic, IsWrittenAlikeInBothForms) {
  const Problem sparse = make_traffic(6, {.kind = TrafficKind::sparse, .typical = 9, .density = 0.3});
  for (const auto write : {write_json, write_text}) {
    std::ostringstream a, b;
    write(a, make_schedule(sparse, "shift"));
    write(b, make_schedule(dense_form(sparse), "shift"));
    EXPECT_EQ(a.str(), b.str());
  }
}

TEST(Traffic, RefusesInvalidMatrices) {
  const auto code = [](Count ranks, std::vector<TrafficEntry> entries) {
    try {
      Problem::alltoallv(ranks, std::move(entries));
    } catch (const Error& error) {
      return std::optional(error.code());
    }
    return std::optional<ErrorCode>();
  };
  EXPECT_EQ(code(3, {{0, 2, 5}, {0, 1, 5}}), std::nullopt);
  EXPECT_EQ(code(3, {{0, 3, 5}}), ErrorCode::misuse);
  EXPECT_EQ(code(3, {{-1, 0, 5}}), ErrorCode::misuse);
  EXPECT_EQ(code(3, {{0, 1, -5}}), ErrorCode::misuse);
  EXPECT_EQ(code(3, {{0, 1, 5}, {0, 1, 6}}), ErrorCode::misuse) << "the same pair twice";
  EXPECT_EQ(code(0, {{0, 1, 5}}), ErrorCode::misuse);
  EXPECT_EQ(code(3, {{0, 1, Bytes{1} << 61}, {1, 0, Bytes{1} << 61}}), ErrorCode::too_large);

  Problem both = Problem::alltoallv(2, std::vector<Bytes>{1, 2, 3, 4});
  both.sparse_counts = std::make_shared<const SparseCounts>(2, std::vector<TrafficEntry>{});
  EXPECT_THROW(check(both), Error);
  Problem other = Problem::alltoallv(2, std::vector<TrafficEntry>{});
  other.ranks = 3;
  EXPECT_THROW(check(other), Error);
  other.collective = Collective::allgatherv;
  EXPECT_THROW(check(other), Error);
}

TEST(Traffic, SharedBlocksLieInTheInputOnce) {
  const Problem graph = neighborhood_allgatherv({5, 3, 0, 7}, {{1, 1}, {0, 1, 2}, {0, 2}, {3, 0}});
  const Traffic traffic(graph);
  EXPECT_TRUE(traffic.shares_blocks());
  EXPECT_EQ(traffic.sent_by(0), (std::vector<Share>{{1, 5, 0}, {2, 5, 0}, {3, 5, 0}}));
  EXPECT_EQ(traffic.received_by(1), (std::vector<Share>{{0, 5, 0}, {1, 3, 5}})) << "an empty block has no entry";
  EXPECT_EQ(traffic.received_by(0), (std::vector<Share>{{1, 3, 0}})) << "an edge counts once";
  EXPECT_EQ(traffic.input_offset(0, 3), 0);
  EXPECT_EQ(traffic.bytes(3, 3), 7);
  EXPECT_EQ(input_bytes(graph, 0), 5);
  EXPECT_EQ(input_bytes(graph, 2), 0);
  EXPECT_EQ(output_bytes(graph, 3), 12);
  EXPECT_EQ(traffic.heaviest(), 12);
  EXPECT_FALSE(Traffic(Problem::alltoallv(1, std::vector<Bytes>{3})).shares_blocks());
  EXPECT_FALSE(moves_the_same(graph, Problem::alltoallv(4, all_counts(graph))));
  EXPECT_TRUE(moves_the_same(graph, with_shared_blocks(Problem::alltoallv(4, all_counts(graph)))));
  Problem wrong{.collective = Collective::alltoallv, .ranks = 300};
  wrong.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{3});
  EXPECT_THROW(with_shared_blocks(wrong), Error) << "300 ranks need 90000 counts";
}

}  // namespace
}  // namespace quadrille
