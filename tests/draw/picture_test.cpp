// SPDX-License-Identifier: BSD-3-Clause
// Checks the headlines of pictures, and the units of their sizes.
#include "draw/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string headline_of(const Schedule& schedule, const DrawOptions& options = {}) {
  return headline(schedule, options, unit_for(schedule.problem, {}));
}

TEST(Headlines, LeaveOutDefaultParameters) {
  EXPECT_EQ(headline_of(make_schedule(Problem::alltoall(5, 8), "bruck:radix=2,form=zero-rotation")),
            "alltoall/bruck, 5 ranks, 8 B a block");
  Schedule from_file = make_schedule(Problem::alltoall(5, 8), "bruck:radix=3");
  from_file.parameters = {{"radix", Count{2}}};
  EXPECT_EQ(headline_of(from_file), "alltoall/bruck, 5 ranks, 8 B a block") << "it need not state all parameters";
  EXPECT_EQ(headline_of(make_schedule(Problem::alltoall(5, 8), "bruck:radix=3")), "alltoall/bruck:radix=3, 5 ranks, 8 B a block");
  EXPECT_EQ(headline_of(make_schedule(problem_of(Collective::barrier, 1, 0), "dissemination")), "barrier/dissemination, 1 rank");
}

// A schedule from a file may name any algorithm, and any parameters.
TEST(Headlines, KeepWhatTheTableDoesNotKnow) {
  Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck");
  schedule.parameters["radix"] = Count{77};
  EXPECT_THAT(headline_of(schedule), HasSubstr("bruck:form=zero-rotation,level=positional,ports=1,radix=77,"));
  schedule.parameters = {{"radix", Count{2}}, {"colour", std::string("red")}};
  EXPECT_THAT(headline_of(schedule), HasSubstr("bruck:colour=red,radix=2,"));
  schedule.parameters = {{"radix", Count{2}}};
  schedule.algorithm = "mine";
  EXPECT_THAT(headline_of(schedule), HasSubstr("alltoall/mine:radix=2,"));
}

TEST(Headlines, NameNodesAndNotes) {
  Problem problem = Problem::alltoall(5, 8);
  problem.nodes = {0, 0, 4, 4, 4};
  EXPECT_EQ(headline_of(make_schedule(problem, "direct"), {.note = "pattern power-law"}),
            "alltoall/direct, 5 ranks on 2 nodes, 8 B a block, pattern power-law");
}

TEST(Headlines, NamesOfAnyLengthFitAPage) {
  Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck");
  schedule.algorithm = std::string(5000, 'x');
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    program.stages[1].name = std::string(5000, 'y');
    return program;
  };
  const Topology ring = Topology::ring(5);
  for (const std::string& svg : {draw_space_time(schedule), draw_blocks(schedule), draw_traffic(schedule),
                                 draw_links(schedule, ring), draw_links(schedule, ring, {.each_round = true})}) {
    const Read picture(svg);
    EXPECT_LE(picture.width(), 1200);
    EXPECT_THAT(picture.texts(), Contains(AllOf(::testing::StartsWith("alltoall/xxx"), HasSubstr("x…, 5 ranks"))));
  }
}

// A headline is never the reason why a picture is wide.
TEST(Headlines, AreBrokenIntoLines) {
  Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  schedule.says = {};
  const double height = Read(draw_space_time(schedule)).height();
  schedule.algorithm =
      "between=(chain:segments=16),within=(binomial:lanes=1),leaders=all,order=as-they-come,and=so,on=and,so=forth";
  for (const std::string& svg :
       {draw_space_time(schedule), draw_blocks(schedule), draw_traffic(schedule), draw_links(schedule, Topology::ring(4))}) {
    const Read picture(svg);
    picture.expect_inside();
    const double width = picture.width();
    EXPECT_LT(width, text_width("alltoall/" + schedule.algorithm, 14));
    picture.expect_texts_left_of(width + 1);
    picture.expect_no_covered_text();
    EXPECT_THAT(picture.texts().front(), EndsWith(","));
  }
  EXPECT_GE(Read(draw_space_time(schedule)).height(), height + 18);
}

// What the other tests rely on: overlapping texts and crosses over texts are found.
TEST(Pictures, AreSearchedForCoveredTexts) {
  const auto covered = [](Point second, Point cross) {
    Svg svg("title");
    svg.text({10, 20}, "one");
    svg.text(second, "two", Anchor::middle);
    svg.cross(cross, 4);
    return Read(svg.written(100, 100)).covered_texts();
  };
  EXPECT_THAT(covered({60, 20}, {80, 80}), ::testing::IsEmpty());
  EXPECT_THAT(covered({35, 20}, {80, 80}), ::testing::ElementsAre("one / two"));
  EXPECT_THAT(covered({60, 20}, {20, 14}), ::testing::ElementsAre("cross / one"));
  EXPECT_THAT(covered({60, 20}, {20, 28}), ::testing::IsEmpty()) << "below the text";
}

TEST(Pictures, WriteAllSizesInOneUnit) {
  const auto texts_of = [](Bytes block) {
    return Read(draw_space_time(make_schedule(Problem::alltoall(5, block), "bruck"))).texts();
  };
  EXPECT_THAT(texts_of(1024), Contains("alltoall/bruck, 5 ranks, 1 KiB a block"));
  EXPECT_THAT(texts_of(1024), Contains("2 KiB"));
  EXPECT_THAT(texts_of(512), Contains("1024 B"));  // beside 512 B
  EXPECT_THAT(texts_of(512), Not(Contains(HasSubstr("KiB"))));
}

}  // namespace
}  // namespace quadrille
