// SPDX-License-Identifier: BSD-3-Clause
// Checks which ranks share a band, and the bands of all pictures that have some.
#include "draw/picture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/draw.hpp"
#include "support/cases.hpp"
#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

Schedule on_nodes(std::vector<Count> nodes, const char* specification = "direct") {
  Problem problem = Problem::alltoall(size(nodes), 8);
  problem.nodes = std::move(nodes);
  return make_schedule(problem, specification);
}

std::vector<std::string> bands(const std::vector<Count>& nodes) {
  Problem problem = Problem::alltoall(7, 8);
  problem.nodes = nodes;
  std::vector<std::string> list;
  for (const NodeBand& band : node_bands(problem)) list.push_back(fmt::format("{}: {} to {}", band.node, band.first, band.last));
  return list;
}

TEST(NodeBands, HoldNeighbouringRanksOfANode) {
  EXPECT_THAT(bands({}), ElementsAre());
  EXPECT_THAT(bands({3, 3, 3, 3, 3, 3, 3}), ElementsAre("3: 0 to 6"));
  EXPECT_THAT(bands({0, 1, 1, 2, 2, 2, 2}), ElementsAre("0: 0 to 0", "1: 1 to 2", "2: 3 to 6"));
  EXPECT_THAT(bands({0, 0, -5, 0, 0, 0, 7}), ElementsAre("0: 0 to 1", "-5: 2 to 2", "0: 3 to 5", "7: 6 to 6"));
}

TEST(NodeBands, StandBehindTheRanksInEachPicture) {
  const Schedule schedule = on_nodes({0, 0, 4, 4, 4});
  const Read rows(draw_space_time(schedule));
  EXPECT_THAT(rows.explanations("rect", "band"), ElementsAre("node 0", "node 4"));
  EXPECT_THAT(rows.texts(), IsSupersetOf({"node 0", "node 4"}));
  const Read traffic(draw_traffic(schedule));
  EXPECT_THAT(traffic.explanations("rect", "band"), ElementsAre("node 0", "node 0", "node 4", "node 4")) << "of rows and columns";
  EXPECT_EQ(traffic.count("rect", "band"), 6u) << "and two squares of bytes that stay within a node";
  const Read blocks(draw_blocks(schedule));
  EXPECT_THAT(blocks.explanations("rect", "band"), ElementsAre("node 0", "node 4", "node 0", "node 4")) << "of two panels";
  const Read dealt(draw_traffic(on_nodes({0, 1, 0, 1})));
  EXPECT_EQ(dealt.count("rect", "band"), 4u + 4u + 8u) << "two squares of each node and its pairs of runs";
}

// A band contains the rows of its ranks, and no others.
TEST(NodeBands, EndBetweenTheRanks) {
  const Read picture(draw_space_time(on_nodes({0, 0, 4, 4, 4})));
  std::vector<double> rows;
  for (const PictureWords& entry : picture.words())
    if (entry.text == "rank 0" || entry.text.size() == 1) rows.push_back(entry.y - 4);
  rows.resize(5);
  const auto first = picture.explained("node 0"), second = picture.explained("node 4");
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 1u);
  const double end = first[0].attribute("y").as_double() + first[0].attribute("height").as_double();
  const double begin = second[0].attribute("y").as_double();
  EXPECT_GT(end, rows[1]);
  EXPECT_LT(end, begin);
  EXPECT_LT(begin, rows[2]);
}

TEST(NodeBands, ChangeNothingElseInPicturesWithoutNodes) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "bruck");
  for (const std::string& svg : {draw_space_time(schedule), draw_blocks(schedule), draw_traffic(schedule)}) {
    EXPECT_EQ(Read(svg).count("rect", "band"), 0u);
    EXPECT_EQ(svg.find("band"), std::string::npos) << "the style sheet has no rule that is not used";
  }
}

TEST(NodeBands, StayInsideThePictures) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : {1, 4, 7})
      for (const std::vector<Count>& nodes : placements(p)) {
        Problem problem = problem_of(algorithm->collective, p, 24);
        problem.nodes = nodes;
        const Choice choice = standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        const Schedule schedule = make_schedule(problem, choice);
        SCOPED_TRACE(fmt::format("{}/{} p={}", name(algorithm->collective), algorithm->id, p));
        Read(draw_space_time(schedule)).expect_inside();
        Read(draw_traffic(schedule)).expect_inside();
        if (algorithm->collective != Collective::barrier) Read(draw_blocks(schedule)).expect_inside();
      }
}

}  // namespace
}  // namespace quadrille
