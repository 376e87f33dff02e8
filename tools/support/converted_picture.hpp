// SPDX-License-Identifier: BSD-3-Clause
// Pictures in other formats than SVG: `rsvg-convert` makes them where it is installed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quadrille::command {

// The program that converts SVG, in the folders of PATH; nothing if it is in none of them.
std::optional<std::string> svg_converter();

// Returns the format, "png" or "pdf", that the extension of a file promises and that pictures can be converted to; else nothing.
std::optional<std::string> converted_format(std::string_view file);

// Converts SVG. Throws Error{environment} if the converter is missing, or with what it says if it fails.
std::string converted_picture(std::string_view svg, const std::string& format);

// Returns what a file with this name holds: the SVG, or the picture in the format that the extension promises.
std::string picture_for(const std::optional<std::string>& file, std::string svg);

}  // namespace quadrille::command
