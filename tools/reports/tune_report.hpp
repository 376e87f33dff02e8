// SPDX-License-Identifier: BSD-3-Clause
// The report of a session of `tune`.
#pragma once

#include <string>
#include <vector>

#include "subcommands/tuner.hpp"
#include "support/json.hpp"

namespace quadrille::command {

// Returns one line for each collective: the number of cells, which algorithms are the fastest in how many cells, and how many times
// as long the MPI library and the default algorithm take (geometric means).
std::string text_of(const std::vector<TuneOutcome>& sessions);

Json json_of(const std::vector<TuneOutcome>& sessions);

}  // namespace quadrille::command
