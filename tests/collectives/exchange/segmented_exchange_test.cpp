// SPDX-License-Identifier: BSD-3-Clause
// alltoall in segments: every stage exchanges one segment of each block, and the segments make up the blocks.
#include <gtest/gtest.h>

#include <algorithm>

#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class SegmentedExchange : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Alltoall, SegmentedExchange, ::testing::Values("direct", "clustered", "clustered:mode=exchange"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase_if(name, [](char letter) { return !std::isalnum(static_cast<unsigned char>(letter)); });
                           return name;
                         });

std::string with_segments(const std::string& algorithm, Count segments) {
  return fmt::format("{}{}segments={}", algorithm, algorithm.find(':') == std::string::npos ? ':' : ',', segments);
}

TEST_P(SegmentedExchange, IsVerifiedForEveryNumberOfSegments) {
  for (const Count p : {1, 2, 5, 6})
    for (const Bytes block : {1, 7, 12})
      for (Count segments = 1; segments <= block; ++segments) {
        Problem problem = Problem::alltoall(p, block);
        problem.nodes = placements(p)[0];
        const Schedule schedule = make_schedule(problem, with_segments(GetParam(), segments));
        for (const Finding& finding : verify(schedule))
          ADD_FAILURE() << p << " ranks, " << block << " bytes, " << segments << " segments: " << to_string(finding);
      }
}

TEST_P(SegmentedExchange, HasAllRoundsForEachSegment) {
  constexpr Count p = 6, segments = 4;
  constexpr Bytes block = 10;  // cut into segments of 2 and 3 bytes
  Problem problem = Problem::alltoall(p, block);
  problem.nodes = placements(p)[0];
  const Figures whole = figures(make_schedule(problem, GetParam()));
  const Schedule schedule = make_schedule(problem, with_segments(GetParam(), segments));
  EXPECT_EQ(figures(schedule).c1, segments * whole.c1);
  EXPECT_EQ(figures(schedule).traffic_out, whole.traffic_out);
  for (Rank rank = 0; rank < p; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends) EXPECT_LE(bytes(message.regions), ceil_divide(block, segments));
}

TEST(SegmentsOfAnExchange, NameEachSegmentAsAStage) {
  const Program program = make_schedule(Problem::alltoall(3, 8), "direct:segments=2").program(0);
  ASSERT_EQ(program.stages.size(), 2u);
  EXPECT_EQ(program.stages[0].name, "exchange, segment 1 of 2");
  EXPECT_EQ(program.stages[1], (Stage{"exchange, segment 2 of 2", 1, 1}));
}

}  // namespace
}  // namespace quadrille
