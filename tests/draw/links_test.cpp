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
                                                                                    {"torus:2x2", 0},
                                                                                    {"torus:1x5", 0},
                                                                                    {"mesh:3x4", 0},
                                                                                    {"torus:2x3x2", 8 + 24},
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
  picture.expect_no_covered_text();
  Count bytes = 0;
  for (const std::string& load : picture.explanations("path")) bytes += std::stol(load.substr(load.find(": ") + 2));
  EXPECT_EQ(bytes, 4 * 8 * (1 + 2 + 1));
  EXPECT_EQ(circles(Read(draw_links(schedule, Topology::ring(4)))), 4u);
}

// From 12 rounds on the others are left out, unless more are asked for.
TEST(Draw, LinksHavePanelsForTheFirstRoundsOnly) {
  const Schedule schedule = make_schedule(Problem::alltoall(14, 8), "shift");  // 13 rounds
  const auto panels = [&](Count most) {
    const Read picture(draw_links(schedule, Topology::ring(14), {.each_round = true, .most_panels = most}));
    picture.expect_inside();
    picture.expect_no_covered_text();
    return std::pair(circles(picture) / 14, picture.all("1 more round with messages, up to round 12, is left out").size());
  };
  EXPECT_EQ(panels(DrawOptions{}.most_panels), std::pair(std::size_t{12}, std::size_t{1}));
  EXPECT_EQ(panels(13), std::pair(std::size_t{13}, std::size_t{0}));
  EXPECT_THAT(Read(draw_links(schedule, Topology::ring(14), {.each_round = true, .most_panels = 2})).texts(),
              ::testing::Contains("11 more rounds with messages, up to round 12, are left out"));
}

// 24 ranks with links between all of them.
TEST(Draw, LinksThatAreTooManyAreASample) {
  const auto drawn = [](Count ranks) {
    return Read(draw_links(make_schedule(Problem::alltoall(ranks, 8), "direct"), parse_topology("full:" + std::to_string(ranks))));
  };
  EXPECT_EQ(drawn(23).explanations("path").size(), 23u * 22);
  const Read sample = drawn(24);
  sample.expect_inside();
  sample.expect_no_covered_text();
  EXPECT_EQ(sample.explanations("path").size(), 8u * 23 + 16) << "of 8 ranks, and those to rank 0 of the other 16";
  EXPECT_EQ(sample.explained("17 -> 0:").size(), 1u);
  EXPECT_TRUE(sample.explained("17 -> 5:").empty());
  EXPECT_STREQ(sample.explained("6 -> 3:").at(0).attribute("stroke-opacity").value(), "0.30");
  EXPECT_STREQ(sample.explained("0 -> 3:").at(0).attribute("stroke-opacity").value(), "");
  EXPECT_EQ(sample.all("strong: the used links of rank 0; faint: a sample of the others, those").size(), 1u);
  EXPECT_EQ(drawn(96).explanations("path").size(), 8u * 95 + 88);
}

// Both links between two ranks of a torus are drawn, beside each other.
TEST(Draw, ParallelLinksAreApart) {
  const Read picture(draw_links(make_schedule(Problem::alltoall(4, 8), "shift"), parse_topology("torus:2x2")));
  std::set<std::string> places;
  for (const auto link : picture.explained(" -> ")) places.insert(link.attribute("d").value());
  EXPECT_EQ(places.size(), 16u);
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

TEST(DrawWrong, LinksNameTheRoundsWithFindings) {
  Schedule schedule = make_schedule(Problem::alltoall(8, 8), "shift");
  schedule.symmetry.reset();
  schedule.program = [made = schedule.program](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds)
      if (rank == 2 && round.number != 1 && round.number != 5) round.sends.clear();
    return program;
  };
  const Read picture(draw_links(schedule, Topology::ring(8), {.findings = verify(schedule)}));
  std::string words;
  for (const std::string& text : picture.texts()) words += text + ' ';
  EXPECT_THAT(words, HasSubstr("Rounds with findings: 0 to 4, 6."));
}

TEST(DrawWrong, LinksMarkTheRankInThePanelOfItsRound) {
  const Schedule schedule = wrong_bruck();
  const Read picture(draw_links(schedule, Topology::ring(5), {.findings = verify(schedule), .each_round = true}));
  picture.expect_no_covered_text();
  const auto crosses = picture.explained("rank 4, stage 'level 2', round 2: unmatched-message");
  ASSERT_EQ(crosses.size(), 1u);
  EXPECT_GT(picture.crosses().front().x, picture.all("round 2: level 2").at(0).x);
}

}  // namespace
}  // namespace quadrille
