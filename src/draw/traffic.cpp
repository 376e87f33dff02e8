// SPDX-License-Identifier: BSD-3-Clause
// Draws how many bytes each rank sends to each other rank, as a matrix of colours.
#include <fmt/format.h>

#include <algorithm>

#include "draw/faults.hpp"
#include "draw/node_bands.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = 128;
constexpr double left_of_matrix = 60, top_of_matrix = headline_height + 40, room_for_nodes = 18;

// Draws bands beside the numbers of the ranks, and below the bytes that stay within nodes.
void draw_nodes(Svg& svg, const std::vector<NodeBand>& bands, Point corner, double cell) {
  if (!bands.empty()) svg.text({corner.x - 6, corner.y - 24}, "node", Anchor::end, "faint", 11);
  for (const NodeBand& band : bands) {
    const std::string number = fmt::format("{}", band.node), words = fmt::format("node {}", band.node);
    const double begin = extent(band.first, cell) + between_bands / 2, length = extent(band.ranks(), cell) - between_bands;
    svg.box({corner.x + begin, corner.y - 38, length, 38}, "band", {}, words);
    svg.box({corner.x - 46, corner.y + begin, 46, length}, "band", {}, words);
    svg.text({corner.x + begin + length / 2, corner.y - 24}, number, Anchor::middle, "faint", 11);
    svg.text({corner.x - 32, corner.y + begin + length / 2 + 4}, number, Anchor::end, "faint", 11);
    for (const NodeBand& other : bands)
      if (other.node == band.node)
        svg.box({corner.x + extent(other.first, cell), corner.y + extent(band.first, cell), extent(other.ranks(), cell),
                 extent(band.ranks(), cell)},
                "band");
  }
}

}  // namespace

std::string draw_traffic(const Schedule& schedule, std::optional<Count> round, const std::vector<Finding>& findings) {
  const Count p = schedule.problem.ranks;
  const std::vector<Program> programs = programs_of(schedule, most_ranks);
  const Faults faults(schedule, programs, findings);
  std::map<std::pair<Rank, Rank>, Bytes> traffic;
  Bytes most = 0;
  for (const auto& [number, messages] : messages_of(programs, schedule.problem, round))
    for (const RoutedMessage& message : messages) {
      Bytes& sum = traffic[{message.from, message.to}];
      add_bytes(sum, message.bytes);
      most = std::max(most, sum);
    }

  const std::string title = faults.marked(headline(schedule) + (round ? fmt::format(", round {}", *round) : ""));
  Svg svg(title);
  const std::vector<NodeBand> bands = node_bands(schedule.problem);
  const double shift = bands.empty() ? 0 : room_for_nodes, left = left_of_matrix + shift, top = top_of_matrix + shift;
  svg.text({picture_margin, 22}, title, Anchor::start, "text", 14);
  const double cell = std::clamp(520 / static_cast<double>(p), 6.0, 30.0), side = extent(p, cell);
  svg.text({left + std::max(side / 2, 28.0), top - 24 - shift}, "receiver", Anchor::middle, "faint");
  svg.text({picture_margin, top - 24 - shift}, "sender", Anchor::start, "faint");
  draw_nodes(svg, bands, {left, top}, cell);
  const Count every = std::max<Count>(1, static_cast<Count>(24 / cell));  // a number is written at every `every`-th rank
  for (Rank rank = 0; rank < p; ++rank) {
    if (rank % every != 0) continue;
    const double middle = cell * (static_cast<double>(rank) + 0.5);
    svg.text({left + middle, top - 6}, fmt::format("{}", rank), Anchor::middle, "text", 11);
    svg.text({left - 6, top + middle + 4}, fmt::format("{}", rank), Anchor::end, "text", 11);
  }
  for (const auto& [ends, bytes] : traffic)
    svg.box({left + extent(ends.second, cell), top + extent(ends.first, cell), cell, cell}, {}, heat(heat_share(bytes, most)),
            fmt::format("{} to {}: {} B", ends.first, ends.second, bytes));
  svg.box({left, top, side, side}, "frame");
  const double scale_end = svg.heat_scale({left, top + side + 14}, fmt::format("{} B", most));
  for (const FaultPlace& place : faults.places())
    mark(svg, place, {left + side + 14, top + cell * (static_cast<double>(place.rank) + 0.5)});
  Point reach{std::max({left + side + (faults.any() ? 24 : 0), picture_margin + text_width(title, 14), scale_end}),
              top + side + 42};
  reach = faults.draw_legend(svg, reach, rank_key);
  return svg.written(reach.x + picture_margin, reach.y);
}

}  // namespace quadrille
