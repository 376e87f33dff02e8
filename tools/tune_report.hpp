// SPDX-License-Identifier: BSD-3-Clause
// What a session of `tune` found.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "tuner.hpp"

namespace quadrille::command {

// A line for each collective: cells, who is the fastest in how many, and how many times as long the MPI library and the default
// algorithm take, as geometric means.
std::string text_of(const std::vector<TuneOutcome>& sessions);

Json json_of(const std::vector<TuneOutcome>& sessions);

}  // namespace quadrille::command
