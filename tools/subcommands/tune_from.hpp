// SPDX-License-Identifier: BSD-3-Clause
// Reads from a report which calls a program makes, so that `tune --from RUN.json` measures these. `quadrille wrap
// --report=full:RUN` writes RUN.json.
#pragma once

#include <string>
#include <vector>

#include "quadrille/tune.hpp"

namespace quadrille::command {

// Returns a cell for each kind of call that communicators of this number of ranks make; the kind that took most time comes first.
// If the report also has calls of other numbers of ranks, adds a sentence about that to `remarks`. Throws Error{malformed} if the
// text is no report, and Error{misuse} if it has no such calls.
std::vector<WantedCell> wanted_cells(const std::string& report, const std::string& file, Count ranks,
                                     std::vector<std::string>& remarks);

// Write the cells as text, one line each, and read them again. So rank 0 can send them to the other ranks.
std::string text_of(const std::vector<WantedCell>& cells);
std::vector<WantedCell> parse_wanted(const std::string& text);

}  // namespace quadrille::command
