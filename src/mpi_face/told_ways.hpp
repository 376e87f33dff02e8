// SPDX-License-Identifier: BSD-3-Clause
// The ways that are worth trying, as the text that rank 0 tells the other ranks. Nothing here depends on MPI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/decision.hpp"

namespace quadrille::mpi_face {

struct ToldWay {
  Way way;
  std::string why;  // in the report, if it is taken
};

// A line for each way. If there are no ways, the text is the sentence that says so, and has no line's end.
std::string text_of(const std::vector<Way>& ways, const Decision& decision);

// Or is the text a sentence?
bool has_ways(std::string_view text);
std::vector<ToldWay> parse_ways(std::string_view text);

}  // namespace quadrille::mpi_face
