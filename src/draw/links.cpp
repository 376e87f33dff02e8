// SPDX-License-Identifier: BSD-3-Clause
// Draws a network and the load of each directed link, in all rounds, in one, or in a panel for each.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "draw/faults.hpp"
#include "draw/network.hpp"
#include "draw/picture.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/indexed.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks_of_links = 256, most_links = 2048, most_links_of_sample = 20'000, most_links_of_panels = 20'000;
constexpr double page_width = 1200, links_between_panels = 30, links_heading_height = 20, room_for_marks = 14, border = 20,
                 note_size = 11, note_height = 16, least_note_width = 330;

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

// Returns true if a fault is shown in this panel: one of the round, or, in the last panel, one that is in none of them.
bool shows(const std::vector<LinkPanel>& panels, const LinkPanel& panel, const FaultPlace& place) {
  if (panels.size() == 1) return true;
  const auto is_of = [&](const LinkPanel& each) { return place.time == FaultTime::in_round && each.round == place.round; };
  return is_of(panel) || (&panel == &panels.back() && std::none_of(panels.begin(), panels.end(), is_of));
}

bool has_findings(const Faults& faults, const LinkPanel& panel) {
  return std::any_of(faults.places().begin(), faults.places().end(),
                     [&](const FaultPlace& place) { return place.time == FaultTime::in_round && place.round == panel.round; });
}

// The rounds that have no panel; empty if all have one.
std::string left_out(const std::vector<LinkPanel>& panels, const MessagesByRound& rounds) {
  const Count count = static_cast<Count>(rounds.size()) - size(panels);
  if (count <= 0 || !panels.back().round) return "";
  return fmt::format("{} more round{} with messages, up to round {}, {} left out", count, count == 1 ? "" : "s",
                     rounds.rbegin()->first, count == 1 ? "is" : "are");
}

// Writes what is not drawn below the picture. Returns the lower right corner.
Point draw_notes(Svg& svg, Point reach, const Focus& focus, const std::string& left_out) {
  for (const std::string& note : {focus.rank() ? focus.explanation() : "", left_out})
    for (const std::string& line : lines_of(note, std::max(reach.x - picture_margin, least_note_width), note_size)) {
      if (line.empty()) continue;
      svg.text({picture_margin, reach.y + 8}, line, Anchor::start, "faint", note_size);
      reach = {std::max(reach.x, picture_margin + text_width(line, note_size)), reach.y + note_height};
    }
  return reach;
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
  const Point reach = draw_notes(svg, {std::max(right, scale_end), bottom + scale_height}, focus, left_out(panels, rounds));
  return with_headline(svg, faults.draw_legend(svg, reach, faults.rank_key(options.each_round)));
}

}  // namespace quadrille
