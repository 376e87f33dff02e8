// SPDX-License-Identifier: BSD-3-Clause
// The formats of files that subcommands write. A file whose extension promises another format is refused before anything is
// written, because other programs would fail to read it.
#pragma once

#include <optional>
#include <string>

#include "options/parser.hpp"

namespace quadrille::command {

enum class FileFormat { text, json, csv, toml, svg, perfetto, html };

// Returns the format that the flags ask for: JSON with --json, CSV with --csv, else text.
FileFormat format_of_flags(const CLI::App& parser);

// Refuses the file if its extension promises another format than `written`.
void check_extension(const std::string& file, FileFormat written);

// Does this for the value of -o, and names the flag for the promised format if there is one. `written` is absent if the value is
// no file.
void check_output_extension(const CLI::App& parser, std::optional<FileFormat> written);

}  // namespace quadrille::command
