// SPDX-License-Identifier: BSD-3-Clause
// Draws how many bytes each rank sends to each other rank, as a matrix of colours.
#include <fmt/format.h>

#include <algorithm>

#include "draw/faults.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks_of_traffic = 128;
constexpr double left_of_matrix = 60, top_of_matrix = headline_height + 40, traffic_room_for_nodes = 18;
constexpr double number_size = 10, widest_with_numbers = 900;

std::string number_text(Bytes bytes, const ByteUnit& unit) { return fmt::format("{}", bytes / unit.bytes); }

// Draws bands beside the numbers of the ranks, and behind the cells of bytes that stay within nodes.
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

// The bytes that each rank sends to each other rank.
using TrafficByPair = std::map<std::pair<Rank, Rank>, Bytes>;

TrafficByPair traffic_of(const MessagesByRound& rounds) {
  TrafficByPair traffic;
  for (const auto& [number, messages] : rounds)
    for (const RoutedMessage& message : messages) add_bytes(traffic[{message.from, message.to}], message.bytes);
  return traffic;
}

// The sides of the cells, and whether they contain numbers.
struct CellSize {
  double side = 0;
  bool has_numbers = false;
};

CellSize cell_size(const TrafficByPair& traffic, Count ranks, const ByteUnit& unit) {
  double widest = 0;
  for (const auto& [ends, bytes] : traffic) widest = std::max(widest, text_width(number_text(bytes, unit), number_size));
  const double plain = std::clamp(520 / static_cast<double>(ranks), 6.0, 30.0), with_numbers = std::max({plain, widest + 8, 22.0});
  const bool has_numbers = extent(ranks, with_numbers) <= widest_with_numbers;
  return {has_numbers ? with_numbers : plain, has_numbers};
}

void draw_rank_numbers(Svg& svg, Count ranks, Point corner, double cell) {
  const Count every = std::max<Count>(1, static_cast<Count>(24 / cell));  // a number is written at every `every`-th rank
  for (Rank rank = 0; rank < ranks; rank += every) {
    const double middle = cell * (static_cast<double>(rank) + 0.5);
    svg.text({corner.x + middle, corner.y - 6}, fmt::format("{}", rank), Anchor::middle, "text", 11);
    svg.text({corner.x - 6, corner.y + middle + 4}, fmt::format("{}", rank), Anchor::end, "text", 11);
  }
}

}  // namespace

std::string draw_traffic(const Schedule& schedule, const DrawOptions& options) {
  const Count p = schedule.problem.ranks;
  const std::vector<Program> programs = programs_of(schedule, most_ranks_of_traffic);
  const Faults faults(schedule, programs, options.findings);
  const MessagesByRound rounds = messages_of(programs, schedule.problem, options.round);
  const ByteUnit unit = unit_for(schedule.problem, rounds);
  const TrafficByPair traffic = traffic_of(rounds);
  std::vector<Bytes> amounts;
  for (const auto& [ends, bytes] : traffic) amounts.push_back(bytes);
  const HeatScale scale(amounts, unit);

  Svg svg(faults.marked(headline(schedule, options, unit) + (options.round ? fmt::format(", round {}", *options.round) : "")));
  const std::vector<NodeBand> bands = node_bands(schedule.problem);
  const double shift = bands.empty() ? 0 : traffic_room_for_nodes, left = left_of_matrix + shift, top = top_of_matrix + shift;
  const auto [cell, has_numbers] = cell_size(traffic, p, unit);
  const double side = extent(p, cell);
  svg.text({left + std::max(side / 2, 28.0), top - 24 - shift}, "receiver", Anchor::middle, "faint");
  svg.text({picture_margin, top - 24 - shift}, "sender", Anchor::start, "faint");
  draw_nodes(svg, bands, {left, top}, cell);
  draw_rank_numbers(svg, p, {left, top}, cell);
  for (const auto& [ends, bytes] : traffic) {
    const Box place{left + extent(ends.second, cell), top + extent(ends.first, cell), cell, cell};
    svg.box(place, {}, scale.colour(bytes), fmt::format("{} to {}: {}", ends.first, ends.second, bytes_text(bytes, unit)));
    if (has_numbers)
      svg.text({place.x + cell / 2, place.y + cell / 2 + 4}, number_text(bytes, unit), Anchor::middle, "on-colour", number_size);
  }
  svg.box({left, top, side, side}, "frame");
  const double scale_end = scale.draw(svg, {left, top + side + 14}, "from one rank to another");
  for (const FaultPlace& place : faults.places())
    mark(svg, place, {left + side + 14, top + cell * (static_cast<double>(place.rank) + 0.5)});
  Point reach{std::max(left + side + (faults.any() ? 24 : 0), scale_end), top + side + 14 + scale_height};
  if (options.round) reach = draw_notes(svg, reach, said_notes(schedule, rounds));
  return with_headline(svg, faults.draw_legend(svg, reach, faults.rank_key()));
}

}  // namespace quadrille
