// SPDX-License-Identifier: BSD-3-Clause
// Parts that all pictures share: the headline, the messages, and limits on size.
#pragma once

#include "draw/svg.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/draw.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

constexpr double picture_margin = 14;
constexpr double headline_height = 34;  // height for the last line of the headline, including the margin

// Returns the unit for all sizes of a picture: it divides the size of a block and the bytes of each message.
ByteUnit unit_for(const Problem& problem, const MessagesByRound& messages);

// Returns the headline: what is drawn, without the parameters that have their default values.
std::string headline(const Schedule& schedule, const DrawOptions& options, const ByteUnit& unit);

// Returns the name of a stage, cut if it is very long.
std::string stage_text(const std::string& name);

// Writes the headline over a picture that reaches to the lower right corner `reach`, and returns the document.
std::string with_headline(Svg& svg, Point reach);

// Returns part / whole.
inline double share(Count part, Count whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Returns the length of `count` items of length `each`.
inline double extent(Count count, double each) { return static_cast<double>(count) * each; }

// Throws Error{too_large} if `count` exceeds `most`; `parts` is their name for the error, such as "ranks".
void check_parts(Count count, Count most, const std::string& parts);

// Returns the messages by round, or only those of `round`. Throws like check_parts, and Error{misuse} if `round` has no messages.
MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round = {});
std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks);

}  // namespace quadrille
