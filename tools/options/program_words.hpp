// SPDX-License-Identifier: BSD-3-Clause
// Handling of a program on the command line: quadrille SUBCOMMAND [OPTIONS] [--] PROGRAM ARGUMENTS...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "options/parser.hpp"

namespace quadrille::command {

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
