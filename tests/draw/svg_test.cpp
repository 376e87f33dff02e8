// SPDX-License-Identifier: BSD-3-Clause
// Checks the SVG itself.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace quadrille
