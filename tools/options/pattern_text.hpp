// SPDX-License-Identifier: BSD-3-Clause
// Parses traffic patterns of --pattern: "spike:64KiB,8B", "sparse:0.1,seed=3", "uniform".
#pragma once

#include <string>

#include "quadrille/traffic_patterns.hpp"

namespace quadrille::command {

// Parses one pattern. `typical` is the size of --block. Throws Error{misuse}.
TrafficPattern parse_pattern(const std::string& text, Bytes typical);

// Returns true if the pattern states its sizes itself, so that --block has no effect.
bool has_own_sizes(TrafficKind kind);

std::string pattern_help();

}  // namespace quadrille::command
