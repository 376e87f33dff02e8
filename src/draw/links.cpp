// SPDX-License-Identifier: BSD-3-Clause
// Draws a network and the load of each directed link, in all rounds together, in one round, or with a panel for each round.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "draw/faults.hpp"
#include "draw/layout.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "topology/round_messages.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

constexpr double beside = 4;       // distance of a link from the line between its two ends, to the right
constexpr double more_beside = 7;  // the same for each further link between these ends
constexpr const char* unused = "#8c959f";

struct LinkLoad {
  Bytes bytes = 0;
  Count messages = 0;
};

using LoadByLink = std::map<Count, LinkLoad>;  // by the link's number; only links that carry a message

// Draws one network with the loads of its links.
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

// Adds the messages to the links of their ways.
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

// Returns the links that are drawn; faint links first, then the other links by ascending bytes, so that links with more bytes are
// drawn over the others.
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

// Names are drawn after the links, which may cross them.
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
  // Numbers are not at the middle of a link, because links across a circle cross there. The distance from the link is larger if
  // the text is wider in that direction.
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

constexpr Count most_ranks_of_links = 256, most_links = 2048, most_links_of_sample = 20'000, most_links_of_panels = 20'000;
constexpr double page_width = 1200, links_between_panels = 30, links_heading_height = 20, room_for_marks = 14, border = 20;

struct LinkPanel {
  std::optional<Count> round;  // absent: all rounds
  std::string heading;
  LoadByLink loads;
};

std::vector<LinkPanel> panels_of(const Topology& topology, const MessagesByRound& rounds, const std::vector<Stage>& stages,
                                 const DrawOptions& options) {
  std::vector<LinkPanel> panels;
  for (const auto& [number, messages] : rounds) {
    if (options.each_round && size(panels) == options.most_panels) break;
    if (options.each_round)
      panels.push_back({number, fmt::format("round {}: {}", number, stage_text(stage_name(stages, number))), {}});
    else if (panels.empty())
      panels.push_back({options.round, "", {}});
    add_loads(topology, messages, panels.back().loads);
  }
  if (panels.empty()) panels.emplace_back();
  return panels;
}

// Returns how many links carry a message in any of the panels.
Count used_links(const std::vector<LinkPanel>& panels) {
  std::set<Count> numbers;
  for (const LinkPanel& panel : panels)
    for (const auto& [number, load] : panel.loads) numbers.insert(number);
  return static_cast<Count>(numbers.size());
}

HeatScale scale_of(const std::vector<LinkPanel>& panels, const ByteUnit& unit) {
  std::vector<Bytes> amounts;
  for (const LinkPanel& panel : panels)
    for (const auto& [number, load] : panel.loads) amounts.push_back(load.bytes);
  return {amounts, unit};
}

// Returns true if this panel shows the fault. A panel shows the faults of its round; the last panel also shows faults whose round
// has no panel.
bool shows(const std::vector<LinkPanel>& panels, const LinkPanel& panel, const FaultPlace& place) {
  if (panels.size() == 1) return true;
  const auto is_of = [&](const LinkPanel& each) { return place.time == FaultTime::in_round && each.round == place.round; };
  return is_of(panel) || (&panel == &panels.back() && std::none_of(panels.begin(), panels.end(), is_of));
}

bool has_findings(const Faults& faults, const LinkPanel& panel) {
  return std::any_of(faults.places().begin(), faults.places().end(),
                     [&](const FaultPlace& place) { return place.time == FaultTime::in_round && place.round == panel.round; });
}

// The rounds that have no panel; empty if all rounds have a panel.
std::string left_out(const std::vector<LinkPanel>& panels, const MessagesByRound& rounds) {
  const Count count = static_cast<Count>(rounds.size()) - size(panels);
  if (count <= 0 || !panels.back().round) return "";
  return fmt::format("{} more round{} with messages, up to round {}, {} left out", count, count == 1 ? "" : "s",
                     rounds.rbegin()->first, count == 1 ? "is" : "are");
}

std::string title_of(const Schedule& schedule, const Topology& topology, const DrawOptions& options, const ByteUnit& unit) {
  const std::string rounds = options.round        ? fmt::format(", round {}", *options.round)
                             : options.each_round ? ", round by round"
                                                  : "";
  return fmt::format("{}, on {}{}", headline(schedule, options, unit), topology.name(), rounds);
}

}  // namespace

std::string draw_links(const Schedule& schedule, const Topology& topology, const DrawOptions& options) {
  check_ranks(topology, schedule.problem);
  const bool is_sample = Focus(topology, 0, topology.link_count()).rank().has_value();
  check_parts(topology.link_count(), is_sample ? most_links_of_sample : most_links, "links");
  const std::vector<Program> programs = programs_of(schedule, most_ranks_of_links);
  const Faults faults(schedule, programs, options.findings);
  const MessagesByRound rounds = messages_of(programs, schedule.problem, options.round);
  const ByteUnit unit = unit_for(schedule.problem, rounds);
  const std::vector<LinkPanel> panels = panels_of(topology, rounds, programs.front().stages, options);
  check_parts(topology.link_count() * size(panels), most_links_of_panels, "links in all rounds");
  const HeatScale scale = scale_of(panels, unit);
  const NetworkLayout layout = layout_of(topology);

  Svg svg(faults.marked(title_of(schedule, topology, options, unit)));
  const Focus focus(topology, faults.any() ? faults.places().front().rank : Rank{0}, used_links(panels));
  NetworkDrawing network(svg, topology, layout, focus, unit);
  const double heading = options.each_round ? links_heading_height + (faults.any() ? room_for_marks : 0) : 0,
               step_x = layout.width + links_between_panels, step_y = layout.height + heading + links_between_panels;
  const double room = page_width - 2 * (picture_margin + border) + links_between_panels;
  const Count in_a_row = std::clamp<Count>(static_cast<Count>(room / step_x), 1, size(panels));
  for (Count i = 0; i < size(panels); ++i) {
    const LinkPanel& panel = panels[index(i)];
    const Point corner{picture_margin + border + extent(i % in_a_row, step_x),
                       headline_height + border + extent(i / in_a_row, step_y)};
    if (!panel.heading.empty()) svg.text(corner + Point{0, 4}, panel.heading);
    network.draw(corner + Point{0, heading}, panel.loads, scale, panel.round.has_value());
    for (const FaultPlace& place : faults.places())
      if (shows(panels, panel, place)) mark(svg, place, network.mark_at(corner + Point{0, heading}, place.rank));
    if (options.each_round && has_findings(faults, panel)) mark_round(svg, corner + Point{0, 4}, panel.heading);
  }
  const double bottom =
      headline_height + border + extent((size(panels) + in_a_row - 1) / in_a_row, step_y) - links_between_panels + border;
  const bool one_round = options.round || options.each_round;
  const double scale_end =
      scale.draw(svg, {picture_margin, bottom}, one_round ? "over a link in a round" : "over a link in all rounds");
  const double right = picture_margin + 2 * border + extent(in_a_row, step_x) - links_between_panels;
  std::vector<std::string> notes;
  if (one_round) notes = said_notes(schedule, rounds);
  notes.push_back(focus.rank() ? focus.explanation() : "");
  notes.push_back(left_out(panels, rounds));
  const Point reach = draw_notes(svg, {std::max(right, scale_end), bottom + scale_height}, notes);
  return with_headline(svg, faults.draw_legend(svg, reach, faults.rank_key(options.each_round)));
}

}  // namespace quadrille
