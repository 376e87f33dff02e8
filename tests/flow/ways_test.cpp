// SPDX-License-Identifier: BSD-3-Clause
#include "flow/ways.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille {
namespace {

TEST(Ways, OfTheBestStepSoFarAreTaken) {
  const RankNetwork network(parse_topology("torus:4x4"));
  std::vector<BlockPart> parts = parts_of_blocks(Problem::alltoall(16, 1000), 4);
  Count steps = 0;
  const Bytes busiest = choose_ways(network, parts, {.goes_on = [&](Bytes) { return ++steps < 2; }});
  EXPECT_EQ(steps, 2);
  const std::vector<Bytes> bytes = link_bytes(network, parts);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), busiest);
  for (const BlockPart& part : parts) EXPECT_FALSE(part.steps.empty());
}

}  // namespace
}  // namespace quadrille
