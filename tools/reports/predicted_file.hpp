// SPDX-License-Identifier: BSD-3-Clause
// Reads the outputs of `quadrille simulate --json` and `quadrille price --json` again, as times to plot.
#pragma once

#include <string>
#include <vector>

#include "reports/race_file.hpp"

namespace quadrille::command {

// Returns true if the JSON is one simulation or price, or an array of them.
bool is_predicted(const Json& json);

// Returns predicted times like those of races, one for each number of ranks. They have no intervals. A price is that of the best
// policy. Throws Error{malformed} with a sentence that names `file`.
std::vector<RaceFile> predicted_files_of(const Json& json, const std::string& file);

}  // namespace quadrille::command
