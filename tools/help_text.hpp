// SPDX-License-Identifier: BSD-3-Clause
// What --help prints: options in groups, everything broken to the width of the terminal.
#pragma once

#include <string>

#include "parser.hpp"

namespace quadrille::command {

// Of the command or a subcommand. Lines of a footer are paragraphs; those that begin with a space are items, and those behind
// "Examples:" stay as they are.
std::string help_text(const CLI::App& parser);

// How it is called: "quadrille verify".
std::string full_name(const CLI::App& parser);

}  // namespace quadrille::command
