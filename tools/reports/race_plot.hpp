// SPDX-License-Identifier: BSD-3-Clause
// Draws times of candidates as SVG: races, simulations or prices. For each number of ranks the picture shows the times over the
// sizes, and with intervals their ratio to the vendor's time (to the best time if there is no vendor). Below, a map shows the
// fastest candidate for each number of ranks and size.
#pragma once

#include <string>
#include <vector>

#include "reports/result_file.hpp"

namespace quadrille::command {

inline constexpr std::size_t default_curves = 6;

enum class RacePanel : std::uint8_t { times, ratios, winners };

struct RacePlotForm {
  std::size_t curves = default_curves;  // candidates that are drawn besides the vendor's
  std::vector<RacePanel> panels{RacePanel::times, RacePanel::ratios, RacePanel::winners};
  double width = 968;  // in pixels (96 per inch); if two panels do not fit beside each other, they stand below each other
};

// Parse --curves, --panel and --width. Throw Error{misuse}.
std::size_t parse_curves(const std::string& text);
std::vector<RacePanel> parse_panels(const std::vector<std::string>& names);
double parse_width(const std::string& text);

// Returns the picture. Candidates that are the fastest at most sizes are drawn first, then those nearest to the fastest. Throws
// Error{misuse} if the races are of different collectives or of different kinds of times, or if two races have the same number of
// ranks.
std::string race_plot(const std::vector<RaceFile>& races, const RacePlotForm& form = {});

}  // namespace quadrille::command
