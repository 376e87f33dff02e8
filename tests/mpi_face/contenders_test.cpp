// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/contenders.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

Candidate algorithm(std::string_view text, Collective collective = Collective::alltoall) {
  return parse_candidate(collective, text);
}

TEST(ToldWays, AreWhatRank0Has) {
  const std::vector<Way> ways{
      {.algorithm = algorithm("hierarchical:between=(chain:segments=16),lanes=4", Collective::broadcast),
       .policy = Policy::nonblocking,
       .executor = Executor::hybrid},
      {.algorithm = algorithm("bruck:radix=4"), .policy = Policy::dataflow, .buffers = 1, .executor = Executor::mpi}};
  Decision decision;
  decision.chosen = ways[0];
  decision.reason = "it has the least predicted time, 1 ms";
  const std::vector<PlannedWay> told = ways_told(told_ways(ways, decision));
  ASSERT_EQ(told.size(), 2u);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i].way, ways[i]);
  EXPECT_EQ(told[0].why, decision.reason);
  EXPECT_EQ(told[1].why, "it was the fastest in a trial");
}

TEST(ToldWays, AWayThatIsTriedInPlaceOfTheChosenOneHasNotItsReason) {
  Decision decision;
  decision.chosen = {.algorithm = algorithm("shift"), .executor = Executor::mpi};
  decision.reason = "it has the least predicted time";
  Way tried = decision.chosen;
  tried.policy = Policy::nonblocking;
  EXPECT_EQ(ways_told(told_ways({tried}, decision)).at(0).why, "it was the fastest in a trial");
}

TEST(ToldWays, WithoutWaysAreASentence) {
  const std::string told = told_ways({}, {});
  EXPECT_GE(told[0], ' ');
  EXPECT_TRUE(ways_told(told).empty());
}

}  // namespace
}  // namespace quadrille::mpi_face
