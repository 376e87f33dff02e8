// SPDX-License-Identifier: BSD-3-Clause
// Whether a projection says something of the gain, and what would let it say more.
#pragma once

#include <functional>
#include <string>

#include "projection/draws.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

// A projection speaks if this share of the draws agrees. It was set on the programs of bench/projection.sh that are not held out.
inline constexpr double sure = 0.95;

// Is too much of the run in point-to-point calls, which are not projected?
bool is_of_messages(const ProjectedRun& vendor);

ProjectionVerdict verdict_of(const DrawnBands& bands);

// Returns what the user can measure to narrow the band of the gain. `calibrated`: returns the band as if the machine's residuals
// were measured for the ranks of each call.
std::string remedy_of(const MachineCosts& machine, const Projection& projection, const std::function<Band()>& calibrated);

}  // namespace quadrille::projection
