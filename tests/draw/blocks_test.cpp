// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of pictures of blocks, and of what is wrong with them.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/cases.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::IsSupersetOf;

// Figure 2 of the paper: at the start rank i holds its blocks for all ranks, at the end the blocks of all ranks for
// it.
TEST(Draw, BlocksShowTheInitialAndTheFinalPlaces) {
  const Count p = 5;
  const Read picture(draw_blocks(make_schedule(Problem::alltoall(p, 8), "bruck:radix=2,form=classical")));
  std::map<std::string, std::vector<PictureWords>> places;
  for (const PictureWords& entry : picture.words("on-colour")) places[entry.text].push_back(entry);
  ASSERT_EQ(places.size(), 25u);
  // Panels follow each other in the document, and in each panel the output comes last.
  const auto place_of = [&](Rank from, Rank to, bool at_the_end) {
    const auto& list = places.at(fmt::format("{},{}", from, to));
    return at_the_end ? list.back() : list.front();
  };
  const double width = place_of(1, 0, false).x - place_of(0, 0, false).x,
               height = place_of(0, 1, false).y - place_of(0, 0, false).y;
  EXPECT_GT(width, 10);
  EXPECT_GT(height, 10);
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) {
      EXPECT_NEAR(place_of(from, to, false).x, place_of(0, 0, false).x + width * static_cast<double>(from), 0.2);
      EXPECT_NEAR(place_of(from, to, false).y, place_of(0, 0, false).y + height * static_cast<double>(to), 0.2);
      EXPECT_NEAR(place_of(from, to, true).x, place_of(0, 0, true).x + width * static_cast<double>(to), 0.2);
      EXPECT_NEAR(place_of(from, to, true).y, place_of(0, 0, true).y + height * static_cast<double>(from), 0.2);
    }
}

TEST(Draw, BlocksOfReductionsNameTheCombinedRanks) {
  const Read picture(draw_blocks(make_schedule(problem_of(Collective::allreduce, 8, 64), "recursive-doubling")));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"0", "7", "0..1", "0..3", "4..7", "0..7"}));
  EXPECT_THAT(picture.explanations("rect"), ::testing::Contains("from 0..7, bytes 0 to 63"));
}

TEST(DrawWrong, BlocksMarksMissingAndForeignBytes) {
  const Schedule schedule = wrong_bruck();
  const Read picture(draw_blocks(schedule, {.findings = verify(schedule)}));
  EXPECT_THAT(picture.explanations("rect", "fault-missing"),
              ::testing::ElementsAre("holds nothing at the end; expected rank 0, bytes from 32"));
  EXPECT_THAT(picture.explanations("rect", "fault"),
              ::testing::ElementsAre("holds rank 2, bytes from 24 at the end; expected rank 2, bytes from 0"));
  EXPECT_EQ(picture.count("line", "fault"), 3u) << "a diagonal, and two corners";
}

TEST(DrawWrong, BlocksCoverNoLabelAndMarkTheRound) {
  for (const std::vector<Count>& nodes : {std::vector<Count>{}, std::vector<Count>{0, 0, 1, 1, 1}}) {
    Schedule schedule = wrong_bruck();
    schedule.problem.nodes = nodes;
    const Read picture(draw_blocks(schedule, {.findings = verify(schedule)}));
    picture.expect_no_covered_text();
    EXPECT_EQ(picture.crosses().size(), 4u) << "in round 2, at two ranks at the end, and in the legend";
    std::size_t frames = 0;
    for (const auto node : picture.root().children("rect"))
      frames += node.attribute("class").as_string() == std::string("fault") && node.attribute("width").as_double() > 40 ? 1 : 0;
    EXPECT_EQ(frames, 1u) << "around 'round 2'";
  }
}

TEST(Draw, BlocksHaveLabelsThatFit) {
  const Read picture(draw_blocks(make_schedule(Problem::alltoall(12, 8), "bruck")));
  EXPECT_THAT(picture.texts(), IsSupersetOf({"10,11", "11,10"}));
  picture.expect_no_covered_text();
}

// A schedule that does nothing, and a correct one, which has no findings.
TEST(DrawWrong, AnEmptyScheduleDeliversNothing) {
  Schedule schedule = make_schedule(Problem::alltoall(3, 8), "direct");
  EXPECT_EQ(draw_blocks(schedule, {.findings = verify(schedule)}), draw_blocks(schedule));
  schedule.symmetry.reset();
  schedule.program = [](Rank rank) { return Program{rank, 0, {}, {}}; };
  const Read picture(draw_blocks(schedule, {.findings = verify(schedule)}));
  EXPECT_EQ(count_of(picture.explanations("rect"), "holds nothing at the end"), 9u);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"at the end", "output"}));
  Read(draw_space_time(schedule, {.findings = verify(schedule)})).expect_inside();
}

}  // namespace
}  // namespace quadrille
