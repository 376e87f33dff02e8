// SPDX-License-Identifier: BSD-3-Clause
#include "reports/thumbnail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "draw/svg.hpp"
#include "draw/viewer_page.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_panels = 3;
constexpr double panel = 84, border = 8, head = 3.5, radius = 4;

// The centres of the ranks. Those below switches are in a row, where arrows would hide each other, and stand on a circle instead.
std::vector<Point> centres_of(NetworkLayout& layout, Count ranks) {
  const bool has_switches = size(layout.vertices) > ranks;
  if (has_switches) layout.width = layout.height = 100;
  std::vector<Point> centres;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(rank) + 0.5) / static_cast<double>(ranks);
    centres.push_back(has_switches ? Point{50 + 50 * std::sin(angle), 50 - 50 * std::cos(angle)}
                                   : layout.vertices[index(rank)].centre);
  }
  return centres;
}

// An arrow that ends at the edge of the receiver.
std::string arrow(Point from, Point to, const std::string& colour) {
  const double length = std::max(1.0, std::hypot(to.x - from.x, to.y - from.y));
  const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const Point tip{to.x - radius * along.x, to.y - radius * along.y}, foot{tip.x - head * along.x, tip.y - head * along.y};
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/><path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\" "
      "fill=\"{}\"/>\n",
      from.x, from.y, foot.x, foot.y, colour, tip.x, tip.y, foot.x - head / 2 * along.y, foot.y + head / 2 * along.x,
      foot.x + head / 2 * along.y, foot.y - head / 2 * along.x, colour);
}

}  // namespace

std::string thumbnail_of(const Trace& trace) {
  NetworkLayout layout = layout_of(trace);
  const Count ranks = trace.problem.ranks;
  const std::vector<Point> centres = centres_of(layout, ranks);
  const double scale = (panel - 2 * border) / std::max({layout.width, layout.height, 1.0});
  std::map<Count, std::vector<const TracedMessage*>> rounds;
  for (const TracedMessage& message : trace.messages) rounds[message.round].push_back(&message);
  const std::size_t panels = std::clamp<std::size_t>(rounds.size(), 1, most_panels);
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
                                panel * static_cast<double>(panels), panel, panel * static_cast<double>(panels), panel);
  auto round = rounds.begin();
  for (std::size_t i = 0; i < panels; ++i) {
    const auto place = [&](Rank rank) {
      const Point& centre = centres[index(rank)];
      return Point{panel * static_cast<double>(i) + (panel - scale * layout.width) / 2 + scale * centre.x,
                   (panel - scale * layout.height) / 2 + scale * centre.y};
    };
    if (round != rounds.end())
      for (const TracedMessage* message : (round++)->second)
        svg += arrow(place(message->from), place(message->to), member_colour(message->from, ranks));
    for (Rank rank = 0; rank < ranks; ++rank)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", place(rank).x, place(rank).y, radius - 1,
                         member_colour(rank, ranks));
  }
  return svg + "</svg>\n";
}

}  // namespace quadrille::command
