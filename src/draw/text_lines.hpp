// SPDX-License-Identifier: BSD-3-Clause
// How wide texts of pictures are, and how they are broken into lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

// Returns the approximate width of a line of text; the true width depends on the font.
double text_width(std::string_view words, double size = 12);

// Returns the text, cut to a width with an ellipsis at its end; empty if there is no room for that.
std::string fitted(std::string words, double width, double size = 12);

// Breaks text at spaces into lines of at most this width, and words that are longer after commas. Words that are still longer are
// cut.
std::vector<std::string> lines_of(const std::string& words, double width, double size = 12);

}  // namespace quadrille
