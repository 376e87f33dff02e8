// SPDX-License-Identifier: BSD-3-Clause
// Draws a network and the load of each directed link.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/faults.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = 256, most_links = 2048;
constexpr double radius = 11;     // of a rank's circle
constexpr double beside = 4;      // distance of a link from the line between its two ends, to its right
constexpr double loose_end = 26;  // length of a line that leaves the picture, for a link that comes back on the other side
constexpr const char* unused = "#8c959f";

struct Load {
  Bytes bytes = 0;
  Count messages = 0;
};

Point moved(Point point, double by_x, double by_y) { return {point.x + by_x, point.y + by_y}; }

// The places of all vertices. A network of two or three dimensions is drawn in rows and columns. Any other network
// is drawn on concentric circles: the outermost circle has the ranks, and each further circle has the switches that
// are next to those outside it.
class LinkMap {
 public:
  LinkMap(const Topology& topology, const std::string& title) : topology_(topology), svg_(title) {
    const std::vector<Count> sides = topology.grid();
    const auto wide = std::count_if(sides.begin(), sides.end(), [](Count side) { return side > 1; });
    in_rows_ = !sides.empty() && (wide == 2 || wide == 3 || (wide < 2 && topology.links_from(0).size() <= 1));
    if (in_rows_)
      place_in_rows();
    else
      place_on_circles();
    svg_.text({picture_margin, 22}, title, Anchor::start, "text", 14);
    width_ = std::max(width_, picture_margin + text_width(title, 14));
  }

  void draw(const std::map<Count, Load>& loads, bool one_round) {
    for (const auto& [number, load] : loads) most_ = std::max(most_, load.bytes);
    // Links with more bytes are drawn later, over those with fewer.
    std::vector<std::pair<Link, std::size_t>> links;  // with the number of earlier links between the same two ends
    for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) {
      std::map<Vertex, std::size_t> before;
      for (const Link& link : topology_.links_from(vertex)) links.emplace_back(link, before[link.to]++);
    }
    const auto load_of = [&](const Link& link) {
      const auto found = loads.find(link.number);
      return found == loads.end() ? Load{} : found->second;
    };
    std::stable_sort(links.begin(), links.end(),
                     [&](const auto& a, const auto& b) { return load_of(a.first).bytes < load_of(b.first).bytes; });
    for (const auto& [link, parallel] : links) draw(link, parallel, load_of(link), one_round);
    for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) draw(vertex);
    for (const auto& [base, number] : numbers_) svg_.text(base, number, Anchor::middle, "over", 10);
    const double end = svg_.heat_scale({picture_margin, height_},
                                       fmt::format("{} B over a link {}", most_, one_round ? "in the round" : "in all rounds"));
    width_ = std::max(width_, end);
  }

  void draw(const Faults& faults) {
    for (const FaultPlace& place : faults.places()) mark(svg_, place, moved(at(place.rank), radius, -radius));
    const Point reach = faults.draw_legend(svg_, {width_, height_ + 28}, rank_key);
    width_ = reach.x;
    foot_ = reach.y - height_;
  }

  std::string written() { return svg_.written(width_ + picture_margin, height_ + foot_); }

 private:
  Point& at(Vertex vertex) { return points_[vertex]; }

  // Places vertices in rows and columns: the last dimension goes to the right, the one before it downwards, a third
  // one into the depth.
  void place_in_rows() {
    const std::vector<Count> sides = topology_.grid();
    std::vector<std::size_t> wide;
    for (std::size_t d = sides.size(); d-- > 0;)
      if (sides[d] > 1) wide.push_back(d);
    const auto planes = wide.size() == 3 ? static_cast<double>(sides[wide[2]]) : 1;
    const double spacing = std::max(76.0, 42 * planes);
    steps_.resize(sides.size());
    if (wide.size() > 0) steps_[wide[0]] = {spacing, 0};
    if (wide.size() > 1) steps_[wide[1]] = {0, spacing};
    if (wide.size() > 2) steps_[wide[2]] = {0.8 * spacing / planes, 0.62 * spacing / planes};
    for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) {
      Point place{picture_margin + loose_end + 20, headline_height + loose_end + 20};
      Count rest = vertex;
      for (std::size_t d = sides.size(); d-- > 0; rest /= sides[d])
        place = moved(place, extent(rest % sides[d], steps_[d].x), extent(rest % sides[d], steps_[d].y));
      points_.push_back(place);
    }
    width_ = points_.back().x + loose_end + 20;
    height_ = points_.back().y + loose_end + 26;
  }

  // Returns the number of links between each vertex and the nearest rank.
  ByRank<std::size_t> levels() const {
    ByRank<std::size_t> level(topology_.vertices());
    std::vector<Vertex> reached;
    ByRank<char> known(topology_.vertices());
    for (Rank rank = 0; rank < topology_.ranks(); ++rank) {
      reached.push_back(rank);
      known[rank] = 1;
    }
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Vertex next : topology_.neighbours(reached[i]))
        if (!std::exchange(known[next], 1)) {
          level[next] = level[reached[i]] + 1;
          reached.push_back(next);
        }
    return level;
  }

  void place_on_circles() {
    const ByRank<std::size_t> level = levels();
    std::vector<std::vector<Vertex>> circles(*std::max_element(level.begin(), level.end()) + 1);
    for (Vertex vertex = 0; vertex < topology_.vertices(); ++vertex) circles[level[vertex]].push_back(vertex);
    double outermost = std::max(130.0, 90.0 * static_cast<double>(circles.size()));
    for (std::size_t i = 0; i < circles.size(); ++i)  // each circle needs room for its vertices on its own radius
      outermost = std::max(outermost, 34.0 * static_cast<double>(circles[i].size()) / (2 * std::numbers::pi) *
                                          static_cast<double>(circles.size()) / static_cast<double>(circles.size() - i));
    points_.resize(level.size());
    const Point centre{picture_margin + 24 + outermost, headline_height + 24 + outermost};
    for (std::size_t i = 0; i < circles.size(); ++i) {
      const auto members = static_cast<double>(circles[i].size());
      const double share = 1 - static_cast<double>(i) / static_cast<double>(circles.size());
      for (std::size_t j = 0; j < circles[i].size(); ++j) {
        const double turn = 2 * std::numbers::pi * (static_cast<double>(j) + 0.5) / members;
        const bool in_the_middle = i > 0 && i + 1 == circles.size() && circles[i].size() == 1;
        const double away = in_the_middle ? 0 : outermost * share;
        at(circles[i][j]) = moved(centre, away * std::sin(turn), -away * std::cos(turn));
      }
    }
    width_ = centre.x + outermost + 24;
    height_ = centre.y + outermost + 36;
  }

  // For a network in rows: returns +1 or -1 if the link leaves the picture on one side and comes back on the other, otherwise 0.
  int around(const Link& link) const {
    if (!in_rows_) return 0;
    std::vector<Count> mine;  // numbers of the vertex's links in this dimension: the one in direction + comes first
    for (const Link& other : topology_.links_from(link.from))
      if (other.dimension == link.dimension) mine.push_back(other.number);
    if (mine.size() < 2) return 0;
    const bool up = mine.front() == link.number;
    return up && link.to < link.from ? 1 : !up && link.to > link.from ? -1 : 0;
  }

  void draw(const Link& link, std::size_t parallel, const Load& load, bool one_round) {
    const std::string colour = load.messages == 0 ? unused : heat(share(load));
    const double width = load.messages == 0 ? 0.8 : 1.4 + 2.2 * share(load);
    const std::string explanation =
        fmt::format("{}: {} B in {} message{}", topology_.text_of(link), load.bytes, load.messages, load.messages == 1 ? "" : "s");
    const Point from = at(link.from), to = at(link.to);
    const std::string sharing = one_round && load.messages > 1 ? fmt::format("{}", load.messages) : "";
    if (const int out = around(link)) {
      const Point step = steps_[index(link.dimension)];
      const double x = out * step.x / std::hypot(step.x, step.y), y = out * step.y / std::hypot(step.x, step.y);
      draw_between(from, moved(from, x * (radius + loose_end), y * (radius + loose_end)), radius, 0, beside, colour, width,
                   explanation, sharing);
      draw_between(moved(to, -x * (radius + loose_end), -y * (radius + loose_end)), to, 0, radius, beside, colour, width,
                   explanation, "");
    } else {
      draw_between(from, to, radius, radius, beside + (in_rows_ ? 0 : 7 * static_cast<double>(parallel)), colour, width,
                   explanation, sharing);
    }
  }

  void draw_between(Point from, Point to, double gap_from, double gap_to, double right, const std::string& colour, double width,
                    const std::string& explanation, const std::string& sharing) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double x = (to.x - from.x) / length, y = (to.y - from.y) / length;
    const Point start = moved(from, gap_from * x - right * y, gap_from * y + right * x);
    const Point stop = moved(to, -gap_to * x - right * y, -gap_to * y + right * x);
    svg_.arrow(start, stop, colour, width, explanation);
    if (sharing.empty()) return;
    // Writes the number not at the middle of the link, because links across a circle cross there. Its distance from the link is
    // larger if the text is wider in that direction.
    const double part = in_rows_ ? 0.5 : 0.36, away = 5 + std::abs(y) * text_width(sharing, 10) / 2 + std::abs(x) * 4;
    const Point base{start.x + part * (stop.x - start.x) - away * y, start.y + part * (stop.y - start.y) + away * x};
    numbers_.emplace_back(moved(base, 0, 3.5), sharing);
  }

  void draw(Vertex vertex) {
    const bool rank = vertex < topology_.ranks();
    if (!rank) return svg_.box({at(vertex).x - 7, at(vertex).y - 7, 14, 14}, "switch");
    svg_.circle(at(vertex), radius, "rank");
    svg_.text(moved(at(vertex), 0, 4), fmt::format("{}", vertex), Anchor::middle, "text", 11);
  }

  double share(const Load& load) const { return heat_share(load.bytes, most_); }

  const Topology& topology_;
  Svg svg_;
  bool in_rows_ = false;
  ByRank<Point> points_;                                // by vertex
  std::vector<Point> steps_;                            // in rows: by dimension, the step from one rank to the next
  std::vector<std::pair<Point, std::string>> numbers_;  // written last, over everything else
  double width_ = 0, height_ = 0, foot_ = 28;
  Bytes most_ = 0;
};

}  // namespace

std::string draw_links(const Schedule& schedule, const Topology& topology, std::optional<Count> round,
                       const std::vector<Finding>& findings) {
  check_ranks(topology, schedule.problem);
  check_parts(topology.link_count(), most_links, "links");
  const std::vector<Program> programs = programs_of(schedule, most_ranks);
  const Faults faults(schedule, programs, findings);
  std::map<Count, Load> loads;
  for (const auto& [number, messages] : messages_of(programs, schedule.problem, round))
    for (const auto& [from, to, port, length] : messages) {
      const auto use = [&loads, bytes = length](const Link& link) {
        add_bytes(loads[link.number].bytes, bytes);
        ++loads[link.number].messages;
      };
      if (!topology.for_each_link(from, to, port, use)) topology.for_each_link(from, to, {}, use);
    }
  LinkMap map(topology, faults.marked(fmt::format("{}, on {}{}", headline(schedule), topology.name(),
                                                  round ? fmt::format(", round {}", *round) : "")));
  map.draw(loads, round.has_value());
  map.draw(faults);
  return map.written();
}

}  // namespace quadrille
