// SPDX-License-Identifier: BSD-3-Clause
// Checks the SVG itself.
#include "draw/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/draw.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;

// Names from files may contain any characters, also those that XML does not allow.
TEST(Draw, EscapesNames) {
  Schedule schedule = make_schedule(Problem::alltoall(2, 8), "shift");
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    for (Stage& stage : program.stages) stage.name = "<b> & \"\a\ufffe\uffff";
    return program;
  };
  const std::string svg = draw_space_time(schedule);
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("<b>")));
  EXPECT_THAT(Read(svg).texts(), ::testing::Contains("<b> & \"\\x07\\xef\\xbf\\xbe\\xef\\xbf\\xbf"));
}

// The same numbers are in viewer/tests/look.test.ts.
TEST(Draw, RanksHaveTheColoursOfTheViewer) {
  EXPECT_EQ(member_colour(0, 8), "#c96200");
  EXPECT_EQ(member_colour(1, 8), "#8bffac");
  EXPECT_EQ(member_colour(7, 8, true), "#f5e663");
  EXPECT_EQ(member_colour(0, 64), "#8378d8");
  EXPECT_EQ(member_colour(7, 64), "#6f89d7");
  EXPECT_EQ(member_colour(32, 64), "#58bc98");
  EXPECT_EQ(member_colour(63, 64), "#f5e663");
}

}  // namespace
}  // namespace quadrille
