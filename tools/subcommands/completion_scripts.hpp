// SPDX-License-Identifier: BSD-3-Clause
// Makes completion scripts for shells from the command's parser and the tables that its options name.
#pragma once

#include <string>
#include <vector>

#include "options/parser.hpp"

namespace quadrille::command {

std::vector<std::string> completion_shells();

// `shell` is bash, fish or zsh. Throws Error{misuse} for any other shell.
std::string completion_script(const CLI::App& command, const std::string& shell);

}  // namespace quadrille::command
