// SPDX-License-Identifier: BSD-3-Clause
// Topologies in the command's notation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {
namespace {

const std::vector<std::string> kinds{"ring", "array", "torus", "mesh", "hypercube", "full", "cluster", "fat-tree", "dragonfly"};

std::vector<Count> parse_sides(std::string_view text, std::string_view whole) {
  std::vector<Count> sides;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::size_t cross = text.find('x', begin);
    const std::string_view side = text.substr(begin, cross == std::string_view::npos ? cross : cross - begin);
    Count value = 0;
    const auto [end, status] = std::from_chars(side.data(), side.data() + side.size(), value);
    if (status == std::errc::result_out_of_range)
      throw Error(ErrorCode::too_large, fmt::format("the side {} in the topology '{}' is 2^63 or more", side, whole));
    if (status != std::errc{} || end != side.data() + side.size() || value < 1)
      throw Error(ErrorCode::misuse, fmt::format("'{}' in the topology '{}' is no side; sides are whole numbers from 1 on, as in "
                                                 "torus:4x8",
                                                 side, whole));
    sides.push_back(value);
    begin = cross == std::string_view::npos ? cross : cross + 1;
  }
  return sides;
}

}  // namespace

Topology parse_topology(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string kind(text.substr(0, colon));
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    const auto guess = nearest(kind, kinds);
    throw Error(ErrorCode::misuse,
                fmt::format("there is no topology '{}'; {}", kind,
                            guess ? fmt::format("did you mean '{}'?", *guess)
                                  : fmt::format("there are: {}, and files: edges:FILE, platform:FILE", fmt::join(kinds, ", "))));
  }
  if (colon == std::string_view::npos)
    throw Error(ErrorCode::misuse, fmt::format("the topology '{0}' has no side; write {0}:8, or torus:4x8", text));
  std::string_view rest = text.substr(colon + 1);
  const std::size_t comma = rest.find(',');
  const bool has_order = kind == "torus" || kind == "mesh" || kind == "hypercube";
  Routing routing = Routing::first_dimension_first;
  if (comma != std::string_view::npos) {
    const std::string_view order = rest.substr(comma + 1);
    if (!has_order || (order != "first" && order != "last"))
      throw Error(
          ErrorCode::misuse,
          fmt::format("'{}' in the topology '{}' is no order of routing; for a torus, mesh or hypercube there are: first, last",
                      order, text));
    if (order == "last") routing = Routing::last_dimension_first;
    rest = rest.substr(0, comma);
  }
  const std::vector<Count> sides = parse_sides(rest, text);
  if (kind == "torus") return Topology::torus(sides, routing);
  if (kind == "mesh") return Topology::mesh(sides, routing);
  const auto takes = [&](std::size_t count, const char* example) {
    if (sides.size() != count)
      throw Error(ErrorCode::misuse, fmt::format("the topology '{}' takes {}, such as {}:{}", text,
                                                 count == 1 ? "one number" : fmt::format("{} numbers", count), kind, example));
  };
  if (kind == "cluster") {
    takes(2, "6x4");
    return Topology::cluster(sides[0], sides[1]);
  }
  if (kind == "dragonfly") {
    takes(3, "9x4x2");
    return Topology::dragonfly(sides[0], sides[1], sides[2]);
  }
  takes(1, "8");
  if (kind == "fat-tree") return Topology::fat_tree(sides[0]);
  if (kind == "ring") return Topology::ring(sides[0]);
  if (kind == "array") return Topology::array(sides[0]);
  if (kind == "full") return Topology::full(sides[0]);
  return Topology::hypercube(sides[0], routing);
}

}  // namespace quadrille
