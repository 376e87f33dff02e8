// SPDX-License-Identifier: BSD-3-Clause
#include "draw/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr double beside = 4;       // distance of a link from the line between its two ends, to its right
constexpr double more_beside = 7;  // the same for each further link between these ends
constexpr const char* unused = "#8c959f";
constexpr double faint_opacity = 0.3;

}  // namespace

void add_loads(const Topology& topology, const std::vector<RoutedMessage>& messages, LoadByLink& loads) {
  for (const auto& [from, to, port, bytes] : messages) {
    const auto use = [&loads, bytes = bytes](const Link& link) {
      add_bytes(loads[link.number].bytes, bytes);
      ++loads[link.number].messages;
    };
    if (!topology.for_each_link(from, to, port, use)) topology.for_each_link(from, to, {}, use);
  }
}

void NetworkDrawing::draw(Point corner, const LoadByLink& loads, const HeatScale& scale, bool has_numbers) {
  draw_parts(corner);
  for (const Drawn& drawn : links(loads)) draw_link(corner, drawn, scale, has_numbers);
  draw_part_names(corner);
  for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) draw_vertex(corner, vertex);
  for (const auto& [base, number] : numbers_) svg_.text(base, number, Anchor::middle, "over", 10);
  numbers_.clear();
}

Point NetworkDrawing::mark_at(Point corner, Rank rank) const {
  return at(corner, rank) + Point{1.3 * rank_radius, -1.3 * rank_radius};
}

// Returns the links that are drawn; faint ones first, then those with more bytes later, so that they are drawn over the others.
std::vector<NetworkDrawing::Drawn> NetworkDrawing::links(const LoadByLink& loads) const {
  std::vector<Drawn> list;
  for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) {
    std::map<Vertex, std::size_t> before;
    for (const Link& link : topology_.links_from(vertex)) {
      const auto load = loads.find(link.number);
      const Emphasis emphasis = focus_.of_link(link, load != loads.end());
      if (emphasis == Emphasis::absent) continue;
      list.push_back({link, before[link.to]++, load == loads.end() ? LinkLoad{} : load->second, emphasis == Emphasis::faint});
    }
  }
  const auto key = [&](const Drawn& drawn) { return std::pair(!drawn.is_faint, drawn.load.bytes); };
  std::stable_sort(list.begin(), list.end(), [&](const Drawn& a, const Drawn& b) { return key(a) < key(b); });
  return list;
}

void NetworkDrawing::draw_parts(Point corner) {
  for (const LayoutPart& part : layout_.parts) {
    const Box box{corner.x + part.box.x, corner.y + part.box.y, part.box.width, part.box.height};
    svg_.box(box, "band", {}, part.name, part.is_round ? box.width / 2 : 0);
  }
}

// After the links, which may cross the names.
void NetworkDrawing::draw_part_names(Point corner) {
  for (const LayoutPart& part : layout_.parts) svg_.text(corner + part.name_at, part.name, Anchor::middle, "faint over", 11);
}

void NetworkDrawing::draw_link(Point corner, const Drawn& drawn, const HeatScale& scale, bool has_numbers) {
  const auto& [link, parallel, load, is_faint] = drawn;
  const bool is_used = load.messages > 0;
  const double share = scale.share(load.bytes);
  const Stroke stroke{.colour = is_used ? heat(share) : unused,
                      .width = is_used ? 1.4 + 2.2 * share : 0.8,
                      .opacity = is_faint ? faint_opacity : 1};
  const std::string explanation = fmt::format("{}: {} in {} message{}", topology_.text_of(link), bytes_text(load.bytes, unit_),
                                              load.messages, load.messages == 1 ? "" : "s");
  const std::string number = has_numbers && load.messages > 1 ? fmt::format("{}", load.messages) : "";
  const Point from = at(corner, link.from), to = at(corner, link.to);
  if (const auto stub = layout_.stubs.find(link.number); stub != layout_.stubs.end()) {
    const Point along = (rank_radius + stub_length) * stub->second;
    draw_between(from, from + along, rank_radius, 0, beside, stroke, explanation, number);
    draw_between(to - along, to, 0, rank_radius, beside, stroke, explanation, "");
    return;
  }
  const Point direction = unit(to - from);
  draw_between(from, to, gap(link.from, direction), gap(link.to, direction), beside + more_beside * static_cast<double>(parallel),
               stroke, explanation, number);
}

void NetworkDrawing::draw_between(Point from, Point to, double gap_from, double gap_to, double right, const Stroke& stroke,
                                  const std::string& explanation, const std::string& number) {
  const Point along = unit(to - from), aside = to_the_right(along);
  const Point start = from + gap_from * along + right * aside, stop = to - gap_to * along + right * aside;
  svg_.arrow(start, stop, stroke, explanation);
  if (number.empty()) return;
  // Not at the middle of the link, because links across a circle cross there. The distance from the link is larger if the text is
  // wider in that direction.
  constexpr double part = 0.38;
  const double away = 5 + std::abs(along.y) * text_width(number, 10) / 2 + std::abs(along.x) * 4;
  numbers_.emplace_back(start + part * (stop - start) + away * aside + Point{0, 3.5}, number);
}

void NetworkDrawing::draw_vertex(Point corner, Vertex vertex) {
  const Point centre = at(corner, vertex);
  const std::string& name = layout_.vertices[vertex].name;
  const bool is_rank = vertex < topology_.ranks();
  if (is_rank) {
    svg_.circle(centre, rank_radius, "rank");
  } else {
    const double width = switch_width(name);
    svg_.box({centre.x - width / 2, centre.y - switch_height / 2, width, switch_height}, "switch", {}, name, 3);
  }
  svg_.text(centre + Point{0, is_rank ? 4.0 : 3.5}, name, Anchor::middle, "text", is_rank ? 11 : 10);
}

// Returns the distance from the centre of a vertex to its border.
double NetworkDrawing::gap(Vertex vertex, Point direction) const {
  if (vertex < topology_.ranks()) return rank_radius;
  constexpr double least = 1e-6;
  const double across = switch_width(layout_.vertices[vertex].name) / 2 / std::max(std::abs(direction.x), least);
  return std::min(across, switch_height / 2 / std::max(std::abs(direction.y), least));
}

}  // namespace quadrille
