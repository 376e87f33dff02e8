// SPDX-License-Identifier: BSD-3-Clause
// The interface between a subcommand and `main`. Each subcommand has one file and one row in table.cpp.
#pragma once

#include <functional>
#include <optional>

#include "options/file_format.hpp"
#include "options/option_table.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {

struct Subcommand {
  OptionTable options;
  std::function<int()> run;
  // Called after the options have been read. Returns true if launched processes run this subcommand together, so that only rank 0
  // prints. By default each process does all the work alone, even under a launcher.
  std::function<bool()> is_collective = [] { return false; };
  // Set if the words after the options are a program that the subcommand starts.
  std::optional<ProgramWords> program = std::nullopt;
  // Called after the options have been read. Returns the format of the file that -o names; nothing if -o names a folder. Null:
  // the flags --json and --csv decide the format.
  std::function<std::optional<FileFormat>()> writes = nullptr;
  // False for subcommands that explain the command. They run even if a variable in the environment is wrong.
  bool reads_environment = true;
};

// Adds all subcommands to the command's parser, in the order of the help, or only the one that `only` names.
std::vector<Subcommand> add_subcommands(CLI::App& command, std::string_view only);

}  // namespace quadrille::command
