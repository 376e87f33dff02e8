// SPDX-License-Identifier: BSD-3-Clause
// Races as a picture, SVG: for each number of ranks the times over the sizes and their ratio to the vendor's (to the best, where
// there is no vendor), with intervals, and below them a map of who is fastest over ranks and sizes.
#pragma once

#include <string>
#include <vector>

#include "race_file.hpp"

namespace quadrille::command {

inline constexpr std::size_t default_curves = 6;

// From --curves. Throws Error{misuse}.
std::size_t parse_curves(const std::string& text);

// `curves` candidates are drawn beside the vendor's: those that are fastest at the most sizes, then those nearest to the fastest.
// Throws Error{misuse} if the races are of different collectives or two of them have one number of ranks.
std::string race_plot(const std::vector<RaceFile>& races, std::size_t curves);

}  // namespace quadrille::command
