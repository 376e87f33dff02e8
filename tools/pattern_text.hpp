// SPDX-License-Identifier: BSD-3-Clause
// Traffic in the command's notation: "spike:64KiB,8B", "sparse:0.1,seed=3", "uniform".
#pragma once

#include <string>

#include "quadrille/traffic_patterns.hpp"

namespace quadrille::command {

// `typical` is the size of --block. Throws Error{misuse}.
TrafficPattern parse_pattern(const std::string& text, Bytes typical);

// Does the pattern name its sizes itself, so that that of --block plays no part?
bool has_own_sizes(TrafficKind kind);

std::string pattern_help();

}  // namespace quadrille::command
