// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of pictures of traffic.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Draw, TrafficShowsTheBytesSent) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck:radix=2");
  EXPECT_EQ(Read(draw_traffic(schedule)).explanations("rect").size(), 15u);
  EXPECT_THAT(Read(draw_traffic(schedule, {.round = 1})).explanations("rect"),
              ::testing::UnorderedElementsAre("0 to 2: 16 B", "1 to 3: 16 B", "2 to 4: 16 B", "3 to 0: 16 B", "4 to 1: 16 B"));
}

TEST(Draw, TrafficHasNumbersInCellsThatHaveRoom) {
  const Read few(draw_traffic(make_schedule(Problem::alltoall(5, 1 << 20), "bruck:radix=2")));
  EXPECT_EQ(few.words("on-colour").size(), 15u);
  EXPECT_EQ(few.words("on-colour").front().text, "2") << "in MiB";
  few.expect_no_covered_text();
  Problem large = Problem::alltoall(16, 1234567);
  EXPECT_EQ(Read(draw_traffic(make_schedule(large, "direct"))).words("on-colour").size(), 16u * 15);
  Read(draw_traffic(make_schedule(large, "direct"))).expect_no_covered_text();
  const Read many(draw_traffic(make_schedule(Problem::alltoall(64, 8), "direct")));
  EXPECT_TRUE(many.words("on-colour").empty());
  many.expect_no_covered_text();
}

TEST(Draw, EvenTrafficIsCalm) {
  const Read picture(draw_traffic(make_schedule(Problem::alltoall(5, 8), "direct")));
  for (const auto node : picture.explained(": 8 B")) EXPECT_EQ(node.attribute("style").as_string(), "fill: " + heat(0.25));
}

}  // namespace
}  // namespace quadrille
