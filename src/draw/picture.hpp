// SPDX-License-Identifier: BSD-3-Clause
// What all pictures have: a headline, messages, and an end to what can be seen.
#pragma once

#include <algorithm>

#include "topology/round_messages.hpp"

namespace quadrille {

constexpr double picture_margin = 14;
constexpr double headline_height = 34;  // the headline's share of the height, margin included

std::string headline(const Schedule& schedule);

// A part of a whole, from 0 to 1.
inline double share(Count part, Count whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// The share of colour for `heat`. Small amounts stay visible. If the largest amount is 0, every amount is the largest.
inline double heat_share(Count amount, Count most) { return most > 0 ? std::max(0.02, share(amount, most)) : 1; }

// How long so many of a length are.
inline double extent(Count count, double each) { return static_cast<double>(count) * each; }

// Throws Error{too_large} if there are more `parts` ("ranks") than `most`.
void check_parts(Count count, Count most, const std::string& parts);

// By round; with `round` those of that one. Throws like check_parts, and Error{misuse} where there are none in `round`.
MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round = {});
std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks);

}  // namespace quadrille
