// SPDX-License-Identifier: BSD-3-Clause
// What the reader of a projection should know before trusting the figures.
#pragma once

#include <string>
#include <vector>

#include "projection/replay.hpp"

namespace quadrille::projection {

// One sentence each, the recording's own last.
std::vector<std::string> remarks_of(const Recording& recording, const ProjectionOptions& options, const Replayed& replayed,
                                    const CallPrices& prices);

}  // namespace quadrille::projection
