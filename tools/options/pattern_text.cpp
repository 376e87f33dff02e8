// SPDX-License-Identifier: BSD-3-Clause
#include "options/pattern_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/arguments.hpp"

namespace quadrille::command {
namespace {

double parse_density(std::string_view text) {
  const auto density = number_in<double>(text);
  if (!density || !(*density >= 0 && *density <= 1)) refuse(fmt::format("the density '{}' is not a number from 0 to 1", text));
  return *density;
}

}  // namespace

bool has_own_sizes(TrafficKind kind) { return kind == TrafficKind::spike || kind == TrafficKind::transpose; }

TrafficPattern parse_pattern(const std::string& text, Bytes typical) {
  const std::string_view whole = text;
  const std::size_t colon = whole.find_first_of(":,");
  const auto kind = traffic_kind_named(whole.substr(0, colon));
  if (!kind) {
    std::vector<std::string> known;
    for (const TrafficKind each : all_traffic_kinds()) known.emplace_back(quadrille::name(each));
    refuse_unknown("pattern", whole.substr(0, colon), known);
  }
  TrafficPattern pattern{.kind = *kind, .typical = typical};
  std::vector<std::string_view> items;
  if (colon != std::string_view::npos) items = split(whole.substr(colon + 1), ',');
  if (!items.empty() && items.back().substr(0, 5) == "seed=") {
    pattern.seed = static_cast<std::uint64_t>(parse_whole(items.back().substr(5), "the seed of the pattern", 0));
    items.pop_back();
  }
  const std::size_t least = has_own_sizes(*kind) ? 1 : 0, most = has_own_sizes(*kind)                                           ? 2
                                                                 : *kind == TrafficKind::sparse || *kind == TrafficKind::groups ? 1
                                                                                                                                : 0;
  if (items.size() < least)
    refuse(fmt::format("the pattern {0} needs its largest size, such as {0}:64KiB", quadrille::name(*kind)));
  if (items.size() > most) refuse(fmt::format("'{}' is too much for the pattern '{}'", items[most], whole));
  if (*kind == TrafficKind::sparse && !items.empty()) pattern.density = parse_density(items[0]);
  if (*kind == TrafficKind::groups && !items.empty()) pattern.senders = parse_whole(items[0], "the number of senders", 1);
  if (has_own_sizes(*kind)) pattern.most = parse_size(items[0]);
  if (items.size() == 2) pattern.small = parse_size(items[1]);
  return pattern;
}

std::string pattern_help() {
  return "alltoallv: how much each rank sends to each rank. spike:MAX[,SMALL]: MAX to one random rank, SMALL to the others. "
         "transpose:MAX[,SMALL]: MAX to its mirror image in a square, SMALL to the others. sparse[:DENSITY]: to this share of the "
         "ranks (default 0.1). groups[:SENDERS]: from the first ranks (default half) to each of the others. Sizes around --block: "
         "equal, uniform, normal, power-law, permutation, all-to-one, one-to-all. A "
         "pattern may end in a seed, as in uniform:seed=3 (default: seed=1)";
}

}  // namespace quadrille::command
