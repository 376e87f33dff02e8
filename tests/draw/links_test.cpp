// SPDX-License-Identifier: BSD-3-Clause
// Checks the content of pictures of links.
#include "quadrille/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pictures.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

TEST(Draw, LinksShowTheirLoads) {
  const Schedule schedule = make_schedule(Problem::alltoall(5, 8), "shift");
  const Topology ring = Topology::ring(5);
  const auto loads = Read(draw_links(schedule, ring, 1)).explanations("path");
  EXPECT_EQ(loads.size(), 10u);
  EXPECT_THAT(loads, IsSupersetOf({"0 -> 1 (dimension 0, +): 16 B in 2 messages", "0 -> 4 (dimension 0, -): 0 B in 0 messages"}));
  Count bytes = 0;
  for (const std::string& load : Read(draw_links(schedule, ring)).explanations("path"))
    bytes += std::stol(load.substr(load.find(": ") + 2));
  EXPECT_EQ(bytes, 5 * 8 * (1 + 1 + 2 + 2));
}

// A link that leaves the picture and comes back is drawn in two parts; every other link is drawn once, also at
// switches.
TEST(Draw, LinksAreDrawnOnAllKindsOfNetworks) {
  for (const auto& [name, again] : std::vector<std::pair<std::string, std::size_t>>{{"ring:1", 0},
                                                                                    {"ring:2", 0},
                                                                                    {"ring:6", 0},
                                                                                    {"array:6", 0},
                                                                                    {"torus:3x4", 14},
                                                                                    {"torus:2x2", 8},
                                                                                    {"torus:1x5", 0},
                                                                                    {"mesh:3x4", 0},
                                                                                    {"torus:2x3x2", 12 + 8 + 12},
                                                                                    {"mesh:2x2x3", 0},
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

}  // namespace
}  // namespace quadrille
