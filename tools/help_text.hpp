// SPDX-License-Identifier: BSD-3-Clause
// What --help prints: options in groups, everything broken to the width of the terminal. The manual page has the same parts.
#pragma once

#include <string>
#include <vector>

#include "parser.hpp"

namespace CLI {
class Option;
}

namespace quadrille::command {

// Of the command or a subcommand. Lines of a footer are paragraphs; those that begin with a space are items, and those behind
// "Examples:" stay as they are.
std::string help_text(const CLI::App& parser);

// "quadrille verify [OPTIONS] [COLLECTIVE|FILE...]"
std::string usage_text(const CLI::App& parser);

std::vector<const CLI::Option*> positionals_of(const CLI::App& parser);

// Of an argument without a name: what stands for it, with dots where there may be several.
std::string placeholder_of(const CLI::Option& option);

struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> groups_of(const CLI::App& parser);  // in the order of the help

struct Footer {
  std::string usage;                         // empty: usage_text() knows it
  std::vector<std::string> prose, examples;  // lines
};
Footer footer_of(const CLI::App& parser);

// How it is called: "quadrille verify".
std::string full_name(const CLI::App& parser);

}  // namespace quadrille::command
