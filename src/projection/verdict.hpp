// SPDX-License-Identifier: BSD-3-Clause
// What a projection comes to (verdict_text in projection.hpp has the sentence), and remarks on it.
#pragma once

#include <string>
#include <vector>

#include "projection/replay.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

double share_of(const ProjectedRun& run, ProjectedPart part);  // of its total

ProjectionVerdict verdict_of(const ProjectedRun& vendor, const Band& gain);

// What the reader of a projection should know before trusting the figures: one sentence each, the recording's own last.
std::vector<std::string> remarks_of(const Recording& recording, const ProjectionOptions& options, const Replayed& replayed,
                                    const CallPrices& prices);

}  // namespace quadrille::projection
