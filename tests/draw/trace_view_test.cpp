// SPDX-License-Identifier: BSD-3-Clause
#include "draw/viewer_page.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Trace direct_trace(const Problem& problem, const Topology* topology = nullptr) {
  return trace_of(make_schedule(problem, "direct"), topology);
}

Trace read_again(const Trace& trace) {
  std::ostringstream text;
  write_trace(text, trace);
  return parse_traces(text.str()).front();
}

bool is_inside(Point point, const Box& box) {
  return point.x - rank_radius >= box.x && point.x + rank_radius <= box.x + box.width && point.y - rank_radius >= box.y &&
         point.y + rank_radius <= box.y + box.height;
}

void expect_inside_and_apart(const NetworkLayout& layout) {
  for (Rank a = 0; a < static_cast<Rank>(layout.vertices.size()); ++a) {
    EXPECT_TRUE(is_inside(layout.vertices[a].centre, {-1e-9, -1e-9, layout.width + 2e-9, layout.height + 2e-9})) << a;
    for (Rank b = 0; b < a; ++b) EXPECT_GT(length(layout.vertices[a].centre - layout.vertices[b].centre), 2 * rank_radius);
  }
}

TEST(TraceLayout, IsThatOfTheNetworkAlsoAfterReading) {
  for (const char* name : {"ring:7", "array:5", "full:9", "torus:4x4", "torus:3x2x4", "torus:2x2x2x2x2", "hypercube:16",
                           "fat-tree:4", "cluster:3x4", "dragonfly:3x2x2"}) {
    SCOPED_TRACE(name);
    const Topology topology = parse_topology(name);
    const NetworkLayout expected = layout_of(topology),
                        found = layout_of(read_again(direct_trace(Problem::alltoall(topology.ranks(), 8), &topology)));
    ASSERT_EQ(found.vertices.size(), expected.vertices.size());
    for (Vertex vertex = 0; vertex < topology.vertices(); ++vertex) {
      EXPECT_EQ(found.vertices[vertex].name, expected.vertices[vertex].name);
      EXPECT_EQ(found.vertices[vertex].centre.x, expected.vertices[vertex].centre.x);
      EXPECT_EQ(found.vertices[vertex].centre.y, expected.vertices[vertex].centre.y);
    }
    ASSERT_EQ(found.parts.size(), expected.parts.size());
    for (std::size_t i = 0; i < found.parts.size(); ++i) EXPECT_EQ(found.parts[i].name, expected.parts[i].name);
    ASSERT_EQ(found.stubs.size(), expected.stubs.size());
    for (const auto& [number, direction] : expected.stubs) EXPECT_EQ(found.stubs.at(number).x, direction.x);
    EXPECT_EQ(found.width, expected.width);
    EXPECT_EQ(found.height, expected.height);
  }
}

// A file may state a grid that its network does not have.
TEST(TraceLayout, ForgetsAGridWithAnotherNumberOfPlaces) {
  const Topology topology = parse_topology("fat-tree:4");
  Trace trace = direct_trace(Problem::alltoall(topology.ranks(), 8), &topology);
  for (const std::vector<Count>& grid : {std::vector<Count>{4, 4}, {4, 5}, {0, 16}, {Count{1} << 40, Count{1} << 40}}) {
    trace.network->grid = grid;
    EXPECT_EQ(size(layout_of(trace).vertices), topology.vertices());
  }
}

TEST(TraceLayout, HasRanksInTheirNodes) {
  for (const std::vector<Count>& nodes : {std::vector<Count>{0, 0, 0, 1, 1, 1},
                                          {5, 7, 5, 7, 5, 7, 7},
                                          std::vector<Count>(20, 1),
                                          {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    Problem problem = Problem::alltoall(size(nodes), 8);
    problem.nodes = nodes;
    const NetworkLayout layout = layout_of(direct_trace(problem));
    expect_inside_and_apart(layout);
    const std::set<Count> names(nodes.begin(), nodes.end());
    ASSERT_EQ(layout.parts.size(), names.size() == 1 ? 0u : names.size());
    for (std::size_t i = 0; i < layout.parts.size(); ++i) {
      const Count node = *std::next(names.begin(), static_cast<std::ptrdiff_t>(i));
      EXPECT_EQ(layout.parts[i].name, "node " + std::to_string(node));
      for (Rank rank = 0; rank < size(nodes); ++rank)
        EXPECT_EQ(is_inside(layout.vertices[rank].centre, layout.parts[i].box), nodes[index(rank)] == node) << rank;
    }
  }
}

TEST(TraceLayout, HasRanksOnTheirGridOrOnACircle) {
  Problem problem = Problem::alltoall(12, 8);
  const auto rows_of = [](const NetworkLayout& layout) {
    std::set<double> rows;
    for (const LayoutVertex& vertex : layout.vertices) rows.insert(vertex.centre.y);
    return rows.size();
  };
  const NetworkLayout circle = layout_of(direct_trace(problem));
  expect_inside_and_apart(circle);
  EXPECT_GT(rows_of(circle), 5u);
  problem.grid = {12};
  EXPECT_EQ(rows_of(layout_of(direct_trace(problem))), rows_of(circle));
  problem.grid = {3, 4};
  EXPECT_EQ(rows_of(layout_of(direct_trace(problem))), 3u);
  problem.grid = {2, 2, 3};
  const NetworkLayout planes = layout_of(direct_trace(problem));
  EXPECT_EQ(planes.parts.size(), 2u);
  EXPECT_TRUE(planes.stubs.empty());
  problem.nodes = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(layout_of(direct_trace(problem)).parts.front().name, "node 0") << "nodes come before the grid";
}

}  // namespace
}  // namespace quadrille
