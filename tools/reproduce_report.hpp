// SPDX-License-Identifier: BSD-3-Clause
// Verdicts on exhibits, for people, programs and the documentation.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "reproduce/exhibit.hpp"

namespace quadrille::command {

struct Made {
  const reproduce::Exhibit* exhibit = nullptr;
  reproduce::Reproduction reproduction;
};

std::string exhibits_text();                                            // the list
std::string levels_text();                                              // what verdicts there are
std::string verdict_text(const Made& made, bool with_comparisons);      // one line, and one for each comparison
std::string section_text(const Made& made, const std::string& folder);  // Markdown; pictures are in `folder`
std::string index_line(const Made& made);                               // of a table in Markdown ..
std::string index_of(const std::string& lines);                         // .. which this is
Json verdict_json(const Made& made);
Json exhibits_json();

}  // namespace quadrille::command
