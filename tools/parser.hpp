// SPDX-License-Identifier: BSD-3-Clause
// How subcommands declare their options. CLI11 reads the command line; its header takes seconds to compile in each file that
// includes it, so only this one's source does, and those that look into a parser: main, help and completion.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quadrille::command {

CLI::App* add_subcommand(CLI::App& command, const std::string& name, const std::string& description);

// An option, "-o,--output", or an argument, without dashes. `value_name` stands for the value in the help. An option whose value is
// a vector takes one value and may be repeated; such an argument takes all that follow.
void add_option(CLI::App& parser, const std::string& names, std::string& value, const std::string& help,
                const std::string& value_name);
void add_option(CLI::App& parser, const std::string& names, std::optional<std::string>& value, const std::string& help,
                const std::string& value_name);
void add_option(CLI::App& parser, const std::string& names, std::vector<std::string>& values, const std::string& help,
                const std::string& value_name);
void add_flag(CLI::App& parser, const std::string& names, bool& value, const std::string& help);

// In the help, options that are added from now on stand below `heading`.
void begin_group(CLI::App& parser, const char* heading);

// Printed below the options: paragraphs, a line each. From "Example" on, lines stay as they are. A first line "Usage: ..." replaces
// the usage that the parser would give itself.
void set_footer(CLI::App& parser, const std::string& footer);

}  // namespace quadrille::command
