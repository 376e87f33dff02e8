// SPDX-License-Identifier: BSD-3-Clause
// Draws races as SVG. For each number of ranks it shows the times over the sizes, and their ratio to the vendor's time (to the best
// if there is no vendor), with intervals. Below is a map that shows the fastest candidate for each number of ranks and size.
#pragma once

#include <string>
#include <vector>

#include "reports/race_file.hpp"

namespace quadrille::command {

inline constexpr std::size_t default_curves = 6;

// Parses --curves. Throws Error{misuse}.
std::size_t parse_curves(const std::string& text);

// Returns the picture. Besides the vendor's, `curves` candidates are drawn: first those that are fastest at the most sizes, then
// those nearest to the fastest. Throws Error{misuse} if the races are of different collectives or two of them have the same number
// of ranks.
std::string race_plot(const std::vector<RaceFile>& races, std::size_t curves);

}  // namespace quadrille::command
