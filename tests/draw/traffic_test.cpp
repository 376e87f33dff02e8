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
  EXPECT_THAT(Read(draw_traffic(schedule, 1)).explanations("rect"),
              ::testing::UnorderedElementsAre("0 to 2: 16 B", "1 to 3: 16 B", "2 to 4: 16 B", "3 to 0: 16 B", "4 to 1: 16 B"));
}

}  // namespace
}  // namespace quadrille
