// SPDX-License-Identifier: BSD-3-Clause
// The option --scale of projections: more ranks than were recorded.
#pragma once

#include <string>

#include "quadrille/scaled_recording.hpp"

namespace quadrille::command {

// Parses "8:weak", eight times as many as `recorded` ranks, and "2x4=4x16:strong", a grid that becomes a larger one. Throws
// Error{misuse} with a sentence that says what was expected; scaled() checks the grids.
RankScale parse_scale(const std::string& text, Count recorded);

// "; --scale 16:weak makes 64 ranks of the 4 recorded ones"; empty if no factor does so.
std::string scale_hint(Count recorded, Count wanted);

}  // namespace quadrille::command
