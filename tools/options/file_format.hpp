// SPDX-License-Identifier: BSD-3-Clause
// The formats of files that subcommands write. If a file's extension promises another format, the file is refused before anything
// is written, because other programs would fail to read it. Pictures in other formats than SVG are converted by `rsvg-convert` if
// it is installed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "options/option_table.hpp"

namespace quadrille::command {

// Returns the path of the program that converts SVG; nothing if no folder of PATH has it.
std::optional<std::string> svg_converter();

// Returns the format, "png" or "pdf", that the extension of a file promises and that pictures can be converted to; else nothing.
std::optional<std::string> converted_format(std::string_view file);

// Converts SVG. Throws Error{environment} if the converter is missing, or with the converter's message if it fails.
std::string converted_picture(std::string_view svg, const std::string& format);

// Returns what a file with this name holds: the SVG, or the picture in the format that the extension promises.
std::string picture_for(const std::optional<std::string>& file, std::string svg);

enum class FileFormat { text, json, csv, toml, svg, perfetto, html };

// Returns the format that the flags ask for: JSON with --json, CSV with --csv, else text.
FileFormat format_of_flags(const CLI::App& parser);

// Refuses the file if its extension promises another format than `written`.
void check_extension(const std::string& file, FileFormat written);

// Like check_extension, for the value of -o. Names the flag for the promised format if there is one. `written` is absent if -o
// names no file.
void check_output_extension(const CLI::App& parser, std::optional<FileFormat> written);

}  // namespace quadrille::command
