// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/worth_trying.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// The values from 1 to `most`, each once.
std::vector<ParameterValue> up_to(Count most, const std::set<Count>& values) {
  std::vector<ParameterValue> kept;
  for (const Count value : values)
    if (value >= 1 && value <= most) kept.emplace_back(value);
  return kept;
}

}  // namespace

Parameter radix_parameter(std::string_view summary) {
  return {.name = "radix",
          .summary = summary,
          .standard = Count{2},
          .least = 2,
          .most = [](const Problem& problem) { return std::max<Count>(2, problem.ranks); },
          .range = "2..max(2,p)",
          .worth_trying = radices_worth_trying};
}

Parameter ports_parameter() {
  return {.name = "ports",
          .summary = "messages that a rank sends, and receives, in one round",
          .standard = Count{1},
          .least = 1,
          .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
          .range = "1..max(1,p-1)",
          .worth_trying = ports_worth_trying};
}

std::vector<ParameterValue> radices_worth_trying(const Problem& problem, const Parameters&) {
  const Count p = problem.ranks;
  const auto root = static_cast<Count>(std::ceil(std::sqrt(static_cast<double>(p))));
  return up_to(std::max<Count>(2, p), {2, 3, 4, 8, 16, std::max<Count>(2, root), std::max<Count>(2, p)});
}

std::vector<ParameterValue> ports_worth_trying(const Problem& problem, const Parameters& before) {
  const Count most = std::max<Count>(1, problem.ranks - 1);
  const auto radix = before.find("radix");
  if (radix != before.end()) return up_to(most, {1, std::get<Count>(radix->second) - 1});
  return up_to(most, {1, 3, 7, most});
}

std::vector<ParameterValue> grains_worth_trying(const Problem& problem, const Parameters&) {
  constexpr Count most_pieces = Count{1} << 17;  // dealing out more pieces takes too long when a plan is made
  const Traffic traffic(problem);
  long double total = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) total += static_cast<long double>(traffic.sent_bytes(rank));
  Bytes grain = 64;
  while (total / static_cast<long double>(grain) > static_cast<long double>(most_pieces) && grain < Bytes{1} << 22) grain *= 2;
  return {grain, 16 * grain, 256 * grain};
}

std::vector<ParameterValue> parts_worth_trying(const Problem& whole, Collective collective, PartSettings Algorithm::*tried,
                                               std::string_view standard) {
  std::vector<std::string> parts;
  for (const Algorithm* const algorithm : algorithms_for(collective))
    if (const PartSettings settings_for = algorithm->*tried)
      for (const std::string_view settings : settings_for(whole))
        parts.push_back(std::string(algorithm->id) + (settings.empty() ? "" : ":") + std::string(settings));
  std::stable_partition(parts.begin(), parts.end(), [&](const std::string& part) { return part == standard; });
  return {parts.begin(), parts.end()};
}

}  // namespace quadrille
