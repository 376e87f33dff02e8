// SPDX-License-Identifier: BSD-3-Clause
// What users are told about the command line. The text that --help prints: options in groups, wrapped to the width of the
// terminal; the manual page is made from the same parts. Errors for command lines that the parser cannot read: each is a sentence
// that names the wrong word.
#pragma once

#include <string>
#include <vector>

#include "options/option_table.hpp"

namespace CLI {
class Option;
}

namespace quadrille::command {

// Returns the help of the command or of a subcommand. Each line of the footer is a paragraph. Lines that begin with a space are
// list items, and lines after "Examples:" are printed unchanged.
std::string help_text(const CLI::App& parser);

// Returns the usage line, such as "quadrille verify [OPTIONS] [COLLECTIVE|FILE...]".
std::string usage_text(const CLI::App& parser);

std::vector<const CLI::Option*> positionals_of(const CLI::App& parser);

// Returns the placeholder of an argument (not an option), such as "FILE...", with dots if it may be repeated.
std::string placeholder_of(const CLI::Option& option);

struct OptionGroup {
  std::string heading;
  std::vector<const CLI::Option*> options;
};
std::vector<OptionGroup> groups_of(const CLI::App& parser);  // in the order of the help

struct Footer {
  std::string usage;                         // empty: usage_text() makes it
  std::vector<std::string> prose, examples;  // lines
};
Footer footer_of(const CLI::App& parser);

// Returns how the user calls the command: "quadrille verify".
std::string command_path(const CLI::App& parser);

// Refuses options of the form "--name=", because CLI11 would read "--block= --ranks 4" as "--block --ranks=4", and "--json=" as
// "--json". Also refuses an option as the value of another one: "view --gallery --help" would write a folder "--help".
void refuse_wrong_values(const CLI::App& command, const std::vector<std::string>& words);

// Refuses the words that the parser has left over: unknown options and surplus arguments.
void refuse_leftover(const CLI::App& parser, const std::vector<std::string>& leftovers);

// Refuses with a sentence for a CLI::ArgumentMismatch, given its text: "--ranks: 1 required LIST missing", "--ranks: At Most 1
// required but received 2", "json was given a disallowed flag override".
[[noreturn]] void refuse_mismatch(const std::string& complaint);

}  // namespace quadrille::command
