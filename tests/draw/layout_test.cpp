// SPDX-License-Identifier: BSD-3-Clause
#include "draw/layout.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/svg.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> networks{
    "ring:1",       "ring:7",        "array:5",         "full:9",          "torus:4x4",      "mesh:3x5",     "torus:3x2x4",
    "mesh:2x2x2",   "torus:2x3x2x3", "torus:2x2x2x2x2", "hypercube:2",     "hypercube:8",    "hypercube:16", "hypercube:32",
    "hypercube:64", "hypercube:128", "fat-tree:2",      "fat-tree:4",      "fat-tree:6",     "cluster:3x4",  "cluster:1x1",
    "cluster:1x16", "cluster:12x8",  "dragonfly:3x2x2", "dragonfly:9x4x2", "dragonfly:1x3x1"};

Box box_of(const Topology& topology, const NetworkLayout& layout, Vertex vertex) {
  const auto& [centre, name] = layout.vertices[vertex];
  const double width = vertex < topology.ranks() ? 2 * rank_radius : switch_width(name),
               height = vertex < topology.ranks() ? 2 * rank_radius : switch_height;
  return {centre.x - width / 2, centre.y - height / 2, width, height};
}

double distance_to_line(Point point, Point from, Point to) {
  const Point along = to - from, away = point - from;
  const double part = std::clamp((away.x * along.x + away.y * along.y) / (length(along) * length(along)), 0.0, 1.0);
  return length(away - part * along);
}

TEST(Layouts, PlaceEachVertexInsideAndApart) {
  for (const std::string& name : networks) {
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const NetworkLayout layout = layout_of(topology);
    ASSERT_EQ(size(layout.vertices), topology.vertices());
    for (Vertex a = 0; a < topology.vertices(); ++a) {
      const Box box = box_of(topology, layout, a);
      EXPECT_GE(box.x, -1e-9);
      EXPECT_GE(box.y, -1e-9);
      EXPECT_LE(box.x + box.width, layout.width + 1e-9);
      EXPECT_LE(box.y + box.height, layout.height + 1e-9);
      for (Vertex b = 0; b < a; ++b) {
        const Box other = box_of(topology, layout, b);
        EXPECT_FALSE(box.x < other.x + other.width && other.x < box.x + box.width && box.y < other.y + other.height &&
                     other.y < box.y + box.height)
            << layout.vertices[a].name << " and " << layout.vertices[b].name;
      }
    }
  }
}

// What can be drawn without links over vertices is drawn so. (In dragonflies, links between groups may run over ranks.)
TEST(Layouts, RunNoLinkOverARank) {
  for (const std::string& name : networks) {
    if (name.starts_with("dragonfly") || name == "torus:2x2x2x2x2" || name == "hypercube:128") continue;
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const NetworkLayout layout = layout_of(topology);
    for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex)
      for (const Link& link : topology.links_from(vertex)) {
        if (layout.stubs.contains(link.number)) continue;
        for (Rank rank = 0; rank < topology.ranks(); ++rank)
          if (rank != link.from && rank != link.to)
            EXPECT_GT(
                distance_to_line(layout.vertices[rank].centre, layout.vertices[link.from].centre, layout.vertices[link.to].centre),
                rank_radius + 4)
                << topology.text_of(link) << " and " << rank;
      }
  }
}

// The stubs of a rank have different directions, so they do not cross.
TEST(Layouts, DrawToriOfThreeDimensionsAsPlanes) {
  const Topology topology = parse_topology("torus:3x4x5");
  const NetworkLayout layout = layout_of(topology);
  ASSERT_EQ(layout.parts.size(), 3u);
  EXPECT_EQ(layout.parts[2].name, "plane 2");
  for (Rank rank = 0; rank < topology.ranks(); ++rank) {
    const Box& plane = layout.parts[index(rank / 20)].box;
    const Point centre = layout.vertices[rank].centre;
    EXPECT_TRUE(centre.x > plane.x && centre.x < plane.x + plane.width && centre.y > plane.y && centre.y < plane.y + plane.height);
    for (const Link& link : topology.links_from(rank))
      EXPECT_EQ(layout.stubs.contains(link.number) || link.to / 20 == rank / 20, true);
  }
  std::set<std::pair<int, int>> directions;
  for (const auto& [number, direction] : layout.stubs) {
    directions.emplace(static_cast<int>(100 * direction.x), static_cast<int>(100 * direction.y));
    EXPECT_NEAR(length(direction), 1, 1e-9);
  }
  EXPECT_EQ(directions.size(), 6u);
}

TEST(Layouts, FitAPage) {
  for (const char* name : {"cluster:12x8", "cluster:4x8", "fat-tree:4", "torus:8x8", "dragonfly:3x2x2"})
    EXPECT_LE(layout_of(parse_topology(name)).width, 1200) << name;
}

TEST(Layouts, DrawTreesInLayers) {
  const Topology topology = parse_topology("fat-tree:4");
  const NetworkLayout layout = layout_of(topology);
  std::set<double> rows;
  for (const LayoutVertex& vertex : layout.vertices) rows.insert(vertex.centre.y);
  EXPECT_EQ(rows.size(), 4u);
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    EXPECT_EQ(layout.vertices[rank].centre.y, *rows.rbegin()) << "ranks are lowest";
  EXPECT_NEAR(layout.vertices[16].centre.x, (layout.vertices[0].centre.x + layout.vertices[1].centre.x) / 2, 1e-9);
}

TEST(Layouts, NameSwitchesAsTextsOfLinksDo) {
  const auto names = [](const char* network) {
    const Topology topology = parse_topology(network);
    std::vector<std::string> list;
    for (const LayoutVertex& vertex : layout_of(topology).vertices) list.push_back(vertex.name);
    return list;
  };
  EXPECT_THAT(names("cluster:2x1"), ElementsAre("0", "1", "node 0", "node 1", "the switch"));
  EXPECT_THAT(names("dragonfly:2x1x1"), ElementsAre("0", "1", "switch 0", "switch 1"));
}

TEST(Layouts, KeepTheGroupsOfDragonfliesApart) {
  const Topology topology = parse_topology("dragonfly:5x3x2");
  const NetworkLayout layout = layout_of(topology);
  ASSERT_EQ(layout.parts.size(), 5u);
  for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex) {
    const Count group = (vertex < 30 ? vertex / 2 : vertex - 30) / 3;
    for (Count part = 0; part < 5; ++part) {
      const Box& box = layout.parts[index(part)].box;
      const Point middle{box.x + box.width / 2, box.y + box.height / 2};
      EXPECT_EQ(length(layout.vertices[vertex].centre - middle) < box.width / 2, part == group) << vertex;
    }
  }
}

// The circles of groups do not touch, and their names stand inside them, over no rank.
TEST(Layouts, KeepTheCirclesAndNamesOfGroupsApart) {
  for (const char* name : {"dragonfly:2x4x2", "dragonfly:3x2x2", "dragonfly:5x4x2", "dragonfly:8x4x3", "dragonfly:12x3x2"}) {
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const NetworkLayout layout = layout_of(topology);
    for (const LayoutPart& part : layout.parts) {
      const double radius = part.box.width / 2, half_of_name = text_width(part.name, 11) / 2;
      const Point middle{part.box.x + radius, part.box.y + radius};
      for (const LayoutPart& other : layout.parts)
        if (&other != &part) EXPECT_GT(length(Point{other.box.x + radius, other.box.y + radius} - middle), 2 * radius + 10);
      for (const double side : {-half_of_name, half_of_name})
        EXPECT_LT(length(part.name_at + Point{side, 0} - middle), radius) << part.name;
      for (Rank rank = 0; rank < topology.ranks(); ++rank) {
        const Point apart = layout.vertices[rank].centre - (part.name_at - Point{0, 4});
        EXPECT_FALSE(std::abs(apart.x) < rank_radius + half_of_name - 1 && std::abs(apart.y) < rank_radius + 5) << rank;
      }
    }
  }
}

TEST(Layouts, KnowDragonfliesByTheirNumbers) {
  const Topology named = parse_edge_list("0 a\n1 a\n", "dragonfly:3x2x2");
  EXPECT_TRUE(layout_of(named).parts.empty());
}

}  // namespace
}  // namespace quadrille
