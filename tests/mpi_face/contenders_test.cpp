// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/contenders.hpp"

#include <gtest/gtest.h>

namespace quadrille::mpi_face {
namespace {

TEST(ToldWays, AreWhatRank0Has) {
  const std::vector<Way> ways{{.algorithm = "hierarchical:between=(chain:segments=16),lanes=4",
                               .policy = Policy::nonblocking,
                               .executor = Executor::hybrid},
                              {.algorithm = "bruck:radix=4", .policy = Policy::dataflow, .buffers = 1, .executor = Executor::mpi}};
  Decision decision;
  decision.chosen = ways[0];
  decision.reason = "it has the least predicted time, 1 ms";
  const std::string text = text_of(ways, decision);
  ASSERT_TRUE(has_ways(text));
  const std::vector<PlannedWay> told = parse_ways(text);
  ASSERT_EQ(told.size(), 2u);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i].way, ways[i]);
  EXPECT_EQ(told[0].why, decision.reason);
  EXPECT_EQ(told[1].why, "it was the fastest in a trial");
}

TEST(ToldWays, AWayThatIsTriedInPlaceOfTheChosenOneHasNotItsReason) {
  Decision decision;
  decision.chosen = {.algorithm = "ring", .policy = Policy::blocking};
  decision.reason = "it has the least predicted time";
  EXPECT_EQ(parse_ways(text_of({{.algorithm = "ring", .policy = Policy::nonblocking}}, decision))[0].why,
            "it was the fastest in a trial");
}

TEST(ToldWays, WithoutWaysAreASentence) { EXPECT_FALSE(has_ways(text_of({}, {}))); }

}  // namespace
}  // namespace quadrille::mpi_face
