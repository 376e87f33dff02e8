// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks, switches and links of a network are drawn. A layout does not depend on messages, colours or SVG, so all code
// that shows networks can use it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "draw/geometry.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct LayoutVertex {
  Point centre;
  std::string name;  // a rank's number; a switch's name as it is in the texts of links, such as "switch 3"
};

// A part of the network that is drawn in a frame of its own, such as a plane of a torus or a group of a dragonfly.
struct LayoutPart {
  Box box;
  std::string name;
  Point name_at;          // the middle of the name's base line
  bool is_round = false;  // the part is the circle in the box
};

struct NetworkLayout {
  ByRank<LayoutVertex> vertices;
  std::vector<LayoutPart> parts;
  // The links that are not drawn from end to end, by number, with the direction in which they leave, as a vector of length 1.
  // Such a link is drawn as two stubs: one leaves its first end in this direction, and one reaches its second end from the
  // opposite side.
  std::map<Count, Point> stubs;
  double width = 0, height = 0;  // all x are in 0 .. width, all y in 0 .. height
};

constexpr double rank_radius = 11, switch_height = 16, stub_length = 26;

// Returns the width of the box of a switch, which contains its name.
double switch_width(const std::string& name);

// Returns the layout of any network: meshes, tori and arrays of up to four dimensions in rows, columns and planes; hypercubes of up
// to six dimensions as cubes; trees in layers; dragonflies in groups; all others in circles.
NetworkLayout layout_of(const Topology& topology);

}  // namespace quadrille
