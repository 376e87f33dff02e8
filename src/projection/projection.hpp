// SPDX-License-Identifier: BSD-3-Clause
// Checks that a recording can be projected with the options, and makes the remarks of a projection (its verdict: verdict_text in
// quadrille/projection.hpp).
#pragma once

#include <string>
#include <vector>

#include "projection/replay.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

// Throws Error{malformed} if the recording contradicts itself, Error{misuse} if ranks are missing. The sentence has the first
// remark of the recording, which may say why.
void check_complete(const Recording& recording);

// Throws as check_complete, and Error{misuse} if the options do not fit the recording.
void check(const Recording& recording, const ProjectionOptions& options);

[[noreturn]] void refuse(const std::string& sentence);  // throws Error{misuse}

// What the reader of a projection should know before trusting the figures: one sentence each, the recording's own last.
std::vector<std::string> remarks_of(const Recording& recording, const ProjectionOptions& options, const Replayed& replayed,
                                    const CallPrices& prices);

}  // namespace quadrille::projection
