// SPDX-License-Identifier: BSD-3-Clause
// Errors for command lines that the parser cannot read. Each is a sentence that names the wrong word.
#pragma once

#include <string>
#include <vector>

#include "options/parser.hpp"

namespace quadrille::command {

// Refuses options of the form "--name=". CLI11 would read "--block= --ranks 4" as "--block --ranks=4", and "--json=" as "--json".
void refuse_empty_values(const CLI::App& command, const std::vector<std::string>& words);

// Refuses the words that the parser has left over: unknown options and surplus arguments.
void refuse_leftover(const CLI::App& parser, const std::vector<std::string>& leftovers);

// Refuses with a sentence for a CLI::ArgumentMismatch, given its text: "--ranks: 1 required LIST missing", "--ranks: At Most 1
// required but received 2", "json was given a disallowed flag override".
[[noreturn]] void refuse_mismatch(const std::string& complaint);

}  // namespace quadrille::command
