// SPDX-License-Identifier: BSD-3-Clause
// What one sees on the page of an algorithm in the gallery of the viewer, and why it matters. It follows the algorithm's summary,
// which says what the algorithm does, and does not repeat it.
#pragma once

#include <string_view>

#include "quadrille/algorithm.hpp"

namespace quadrille::command {

// Returns the paragraph of an algorithm. Each one of the table has one; a test checks it.
std::string_view paragraph_of(const Algorithm& algorithm);

}  // namespace quadrille::command
