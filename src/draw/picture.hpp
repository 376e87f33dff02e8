// SPDX-License-Identifier: BSD-3-Clause
// Parts that all pictures share: the headline, the messages, and limits on size.
#pragma once

#include <algorithm>

#include "topology/round_messages.hpp"

namespace quadrille {

constexpr double picture_margin = 14;
constexpr double headline_height = 34;  // height for the headline, including the margin

std::string headline(const Schedule& schedule);

// Returns part / whole.
inline double share(Count part, Count whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Returns the argument for `heat`. It is at least 0.02, so that small amounts are visible. If the largest amount is 0, it is 1.
inline double heat_share(Count amount, Count most) { return most > 0 ? std::max(0.02, share(amount, most)) : 1; }

// Returns the length of `count` items of length `each`.
inline double extent(Count count, double each) { return static_cast<double>(count) * each; }

// Throws Error{too_large} if `count` exceeds `most`; `parts` is their name for the error, such as "ranks".
void check_parts(Count count, Count most, const std::string& parts);

// Returns the messages by round, or only those of `round`. Throws like check_parts, and Error{misuse} if `round` has no messages.
MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round = {});
std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks);

}  // namespace quadrille
