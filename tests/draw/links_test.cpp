// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of pictures of links.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

TEST(Draw, LinksShowTheirLoads) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "shift");
  const Topology ring = Topology::ring(5);
  const auto loads = Read(draw_links(schedule, ring, {.round = 1})).explanations("path");
  EXPECT_EQ(loads.size(), 10u);
  EXPECT_THAT(loads, IsSupersetOf({"0 -> 1 (dimension 0, +): 16 B in 2 messages", "0 -> 4 (dimension 0, -): 0 B in 0 messages"}));
  Count bytes = 0;
  for (const std::string& load : Read(draw_links(schedule, ring)).explanations("path"))
    bytes += std::stol(load.substr(load.find(": ") + 2));
  EXPECT_EQ(bytes, 5 * 8 * (1 + 1 + 2 + 2));
}

// A link that leaves the picture and comes back, or leads to another plane, is drawn in two parts; every other link is drawn once,
// also at switches.
TEST(Draw, LinksAreDrawnOnAllKindsOfNetworks) {
  for (const auto& [name, again] : std::vector<std::pair<std::string, std::size_t>>{{"ring:1", 0},
                                                                                    {"ring:2", 0},
                                                                                    {"ring:6", 0},
                                                                                    {"array:6", 0},
                                                                                    {"torus:3x4", 14},
                                                                                    {"torus:2x2", 8},
                                                                                    {"torus:1x5", 0},
                                                                                    {"mesh:3x4", 0},
                                                                                    {"torus:2x3x2", 12 + 8 + 24},
                                                                                    {"mesh:2x2x3", 12},
                                                                                    {"hypercube:8", 0},
                                                                                    {"full:5", 0},
                                                                                    {"cluster:3x2", 0},
                                                                                    {"cluster:1x1", 0},
                                                                                    {"cluster:1x3", 0},
                                                                                    {"fat-tree:4", 0},
                                                                                    {"dragonfly:3x2x2", 0}}) {
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const Read picture(draw_links(make_schedule(Problem::alltoall(topology.ranks(), 8), "shift"), topology));
    picture.expect_inside();
    EXPECT_THAT(draw_links(make_schedule(Problem::alltoall(topology.ranks(), 8), "shift"), topology),
                ::testing::Not(HasSubstr("nan")));
    const auto links = picture.explanations("path");
    EXPECT_EQ(links.size(), static_cast<std::size_t>(topology.link_count()) + again);
  }
}

std::size_t circles(const Read& picture) { return picture.count("circle", "rank"); }

TEST(Draw, LinksHaveAPanelForEachRound) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  const Read picture(draw_links(schedule, Topology::ring(4), {.each_round = true}));
  picture.expect_inside();
  EXPECT_EQ(circles(picture), 3u * 4);
  EXPECT_THAT(picture.texts(), IsSupersetOf({"round 0: exchange", "round 1: exchange", "round 2: exchange"}));
  EXPECT_EQ(picture.covered_texts(), std::vector<std::string>{});
  Count bytes = 0;
  for (const std::string& load : picture.explanations("path")) bytes += std::stol(load.substr(load.find(": ") + 2));
  EXPECT_EQ(bytes, 4 * 8 * (1 + 2 + 1));
  EXPECT_EQ(circles(Read(draw_links(schedule, Topology::ring(4)))), 4u);
}

// All links of the torus carry the same: none is drawn as if it were in trouble.
TEST(Draw, EvenLoadsOfLinksAreCalm) {
  const Topology torus = parse_topology("torus:4x4");
  Problem problem = Problem::alltoall(16, 8);
  problem.grid = {4, 4};
  const Read picture(draw_links(make_schedule(problem, "torus"), torus, {.round = 3}));
  std::set<std::string> colours;
  for (const auto node : picture.explained(" in 1 message")) colours.insert(node.attribute("stroke").as_string());
  EXPECT_EQ(colours, std::set<std::string>{heat(0.25)});
}

TEST(DrawWrong, LinksMarkTheRankInThePanelOfItsRound) {
  const Schedule schedule = wrong_bruck();
  const Read picture(draw_links(schedule, Topology::ring(5), {.findings = verify(schedule), .each_round = true}));
  EXPECT_EQ(picture.covered_texts(), std::vector<std::string>{});
  const auto crosses = picture.explained("rank 4, stage 'level 2', round 2: unmatched-message");
  ASSERT_EQ(crosses.size(), 1u);
  double heading = 0;
  for (const PictureWords& words : picture.words())
    if (words.text == "round 2: level 2") heading = words.x;
  EXPECT_GT(picture.crosses().front().x, heading);
}

}  // namespace
}  // namespace quadrille
