// SPDX-License-Identifier: BSD-3-Clause
// The bytes that bandwidths are computed from.
#include "tune/race/bandwidth.hpp"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

Problem of(Collective collective, std::vector<Bytes> counts = {}) {
  Problem problem{.collective = collective, .ranks = 4, .block_bytes = counts.empty() ? 100 : 0, .root = 1};
  if (!counts.empty()) problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return problem;
}

void expect(const Problem& problem, double algorithm, std::optional<double> bus) {
  const auto bytes = bandwidth_bytes(problem);
  ASSERT_TRUE(bytes) << name(problem.collective);
  EXPECT_DOUBLE_EQ(bytes->algorithm, algorithm) << name(problem.collective);
  ASSERT_EQ(bytes->bus.has_value(), bus.has_value()) << name(problem.collective);
  if (bus) {
    EXPECT_DOUBLE_EQ(*bytes->bus, *bus) << name(problem.collective);
  }
}

TEST(Bandwidth, IsComputedAsInNcclTests) {
  for (const Collective collective :
       {Collective::alltoall, Collective::allgather, Collective::gather, Collective::scatter, Collective::reduce_scatter})
    expect(of(collective), 400, 300);
  expect(of(Collective::allreduce), 100, 150);
  expect(of(Collective::broadcast), 100, 100);
  expect(of(Collective::reduce), 100, 100);
  expect(of(Collective::scan), 100, std::nullopt);
  expect(of(Collective::exscan), 100, std::nullopt);
  EXPECT_FALSE(bandwidth_bytes(of(Collective::barrier)));
}

TEST(Bandwidth, WithEqualCountsIsThatOfTheRegularCollective) {
  const std::vector<Bytes> shares(4, 100), matrix(16, 100);
  for (const Collective collective :
       {Collective::allgatherv, Collective::gatherv, Collective::scatterv, Collective::reduce_scatterv})
    expect(of(collective, shares), 400, 300);
  expect(of(Collective::alltoallv, matrix), 400, 300);
}

TEST(Bandwidth, LeavesOutARanksOwnBlock) {
  expect(of(Collective::gatherv, {10, 20, 30, 40}), 100, 80);
  std::vector<Bytes> matrix(16);
  matrix[0] = 40;  // rank 0 to itself
  matrix[1] = 80;
  expect(of(Collective::alltoallv, matrix), 30, 20);
}

}  // namespace
}  // namespace quadrille
