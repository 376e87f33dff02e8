// SPDX-License-Identifier: BSD-3-Clause
// Functions with which subcommands declare their options, and the program that some take after them. CLI11 parses the command line.
// Its header takes seconds to compile, so only this header's source file includes it, and those that inspect a parser: main, help
// and completion.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace quadrille::command {

CLI::App* add_subcommand(CLI::App& command, std::string_view name, std::string_view description);

// Adds an option such as "-o,--output", or an argument, whose name has no dashes. `value_name` stands for the value in the help. An
// option whose value is a vector takes one value each time and may be repeated. An argument whose value is a vector takes all
// remaining arguments.
void add_option(CLI::App& parser, std::string_view names, std::string& value, std::string_view help, std::string_view value_name);
void add_option(CLI::App& parser, std::string_view names, std::optional<std::string>& value, std::string_view help,
                std::string_view value_name);
void add_option(CLI::App& parser, std::string_view names, std::vector<std::string>& values, std::string_view help,
                std::string_view value_name);
void add_flag(CLI::App& parser, std::string_view names, bool& value, std::string_view help);

// Options that are added after this call appear under `heading` in the help.
void begin_group(CLI::App& parser, const char* heading);

// Sets the text below the options: paragraphs, one line each. Lines after "Example" are printed unchanged. If the first line is
// "Usage: ...", it replaces the parser's own usage line.
void set_footer(CLI::App& parser, std::string_view footer);

// Reads text such as "--ranks 8 --block 64B" by a parser of its own, to which `declare` adds the options.
void read_options(const std::string& text, const std::function<void(CLI::App&)>& declare);

// Handling of a program on the command line: quadrille SUBCOMMAND [OPTIONS] [--] PROGRAM ARGUMENTS...
struct ProgramWords {
  std::vector<std::string>* destination = nullptr;  // receives the program and its arguments
  // Options that may be given without a value, with the value that they then have: {"--report", "summary"}. Their values must
  // follow '=', because the next word may be the program.
  std::map<std::string, std::string> standard_values;
};

// Moves the program and its arguments from `words` to their destination, so that our parser does not read them. The first of
// `words` is the subcommand's name.
void take_program(const CLI::App& subcommand, const ProgramWords& program, std::vector<std::string>& words);

}  // namespace quadrille::command
