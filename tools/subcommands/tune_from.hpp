// SPDX-License-Identifier: BSD-3-Clause
// What a program calls, by the report of a run (`quadrille wrap --report=full:RUN`, RUN.json), for `tune --from`.
#pragma once

#include <string>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille::command {

struct WantedCell {
  Collective collective = Collective::alltoall;
  Bytes size = 0;  // mean size of a block
};

// Returns the cells of the calls that all of `ranks` ranks make together, first those that took most time. `remarks` gets a
// sentence if calls of other numbers of ranks are left out. Throws Error{malformed} if the text is no report, and Error{misuse} if
// it has no such calls.
std::vector<WantedCell> wanted_cells(const std::string& report, const std::string& file, Count ranks,
                                     std::vector<std::string>& remarks);

// One line for each cell, and back; to hand the cells to other ranks.
std::string text_of(const std::vector<WantedCell>& cells);
std::vector<WantedCell> parse_wanted(const std::string& text);

}  // namespace quadrille::command
