// SPDX-License-Identifier: BSD-3-Clause
// Draws one network with the loads of its links.
#pragma once

#include <map>
#include <vector>

#include "draw/focus.hpp"
#include "draw/heat_scale.hpp"
#include "draw/layouts/layout.hpp"
#include "draw/svg.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

struct LinkLoad {
  Bytes bytes = 0;
  Count messages = 0;
};

using LoadByLink = std::map<Count, LinkLoad>;  // by the link's number; only links that carry a message

// Adds the messages to the links of their ways.
void add_loads(const Topology& topology, const std::vector<RoutedMessage>& messages, LoadByLink& loads);

class NetworkDrawing {
 public:
  NetworkDrawing(Svg& svg, const Topology& topology, const NetworkLayout& layout, const Focus& focus, const ByteUnit& unit)
      : svg_(svg), topology_(topology), layout_(layout), focus_(focus), unit_(unit) {}

  // Draws the network with its upper left corner at a point. With `has_numbers`, a number stands beside each link that several
  // messages share.
  void draw(Point corner, const LoadByLink& loads, const HeatScale& scale, bool has_numbers);

  // Returns the place for a mark at a rank, beside its number.
  Point mark_at(Point corner, Rank rank) const;

 private:
  struct Drawn {
    Link link;
    std::size_t parallel = 0;  // how many links between the same two ends come before it
    LinkLoad load;
    bool is_faint = false;
  };

  std::vector<Drawn> links(const LoadByLink& loads) const;
  void draw_parts(Point corner);
  void draw_part_names(Point corner);
  void draw_link(Point corner, const Drawn& drawn, const HeatScale& scale, bool has_numbers);
  void draw_between(Point from, Point to, double gap_from, double gap_to, double right, const Stroke& stroke,
                    const std::string& explanation, const std::string& number);
  void draw_vertex(Point corner, Vertex vertex);
  Point at(Point corner, Vertex vertex) const { return corner + layout_.vertices[vertex].centre; }
  double gap(Vertex vertex, Point direction) const;

  Svg& svg_;
  const Topology& topology_;
  const NetworkLayout& layout_;
  const Focus& focus_;
  const ByteUnit unit_;
  std::vector<std::pair<Point, std::string>> numbers_;  // written last, over everything else
};

}  // namespace quadrille
