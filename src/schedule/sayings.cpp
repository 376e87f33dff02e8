// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/sayings.hpp"

#include <fmt/format.h>

namespace quadrille {

std::vector<std::string> sayings(const Schedule& schedule, std::span<const Count> rounds) {
  std::vector<std::string> lines;
  const auto said = [&](std::size_t i) { return i < rounds.size() ? schedule.says(rounds[i]) : std::string(); };
  for (std::size_t first = 0, last = 0; schedule.says && first < rounds.size(); first = ++last) {
    const std::string sentence = said(first);
    while (!sentence.empty() && said(last + 1) == sentence) ++last;
    const bool is_one = first == last;
    if (!sentence.empty())
      lines.push_back(fmt::format("round{} {}{}: {}", is_one ? "" : "s", rounds[first],
                                  is_one ? "" : fmt::format(" to {}", rounds[last]), sentence));
  }
  return lines;
}

}  // namespace quadrille
