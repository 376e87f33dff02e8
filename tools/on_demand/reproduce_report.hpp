// SPDX-License-Identifier: BSD-3-Clause
// Verdicts on exhibits (a paper's table or figure, made again), as text, as JSON and for the documentation.
#pragma once

#include <string>
#include <vector>

#include "papers/exhibit.hpp"
#include "support/json.hpp"

namespace quadrille::command {

struct Made {
  const papers::Exhibit* exhibit = nullptr;
  papers::Reproduction reproduction;
};

// Returns the file name of a sheet: "bruck1997-fig4.csv", or "bruck1997-fig4-a.csv" if there are several.
std::string csv_name(const Made& made, std::size_t sheet);

std::string exhibits_text();                                            // the list of exhibits
std::string verdict_text(const Made& made, bool with_comparisons);      // one line, and one for each comparison
std::string section_text(const Made& made, const std::string& folder);  // Markdown; pictures are in `folder`
std::string index_line(const Made& made);                               // a row of a Markdown table ..
std::string index_of(const std::string& lines);                         // .. and that table
Json verdict_json(const Made& made);
Json exhibits_json();

}  // namespace quadrille::command
