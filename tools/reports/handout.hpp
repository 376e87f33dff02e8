// SPDX-License-Identifier: BSD-3-Clause
// A lesson of the course on one sheet of paper.
#pragma once

#include <string>
#include <string_view>

#include "quadrille/schedule.hpp"

namespace quadrille::command {

// Returns a sheet of A4 as SVG: the lesson, what its memory holds after each round, and questions with lines for answers.
std::string handout(std::string_view title, std::string_view text, const Schedule& schedule);

}  // namespace quadrille::command
