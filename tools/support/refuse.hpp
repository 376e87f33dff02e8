// SPDX-License-Identifier: BSD-3-Clause
// How a subcommand ends: its exit code, and refusals of wrong use and of a wrong environment, which throw Error{misuse}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quadrille::command {

// Exit codes of the command. Code that cannot continue throws Error; `main` prints its sentence on stderr and exits with 2.
inline constexpr int good = 0;
inline constexpr int with_findings = 1;
inline constexpr int misused = 2;

[[noreturn]] void refuse(const std::string& sentence);

// Refuses an unknown word: "there is no <what> '<word>'", with the most similar of `known`, or with all of them.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known);

// Refuses an environment with a wrong variable of ours, even if the subcommand does not read that variable: nobody would notice
// that a misspelt name has no effect. Throws Error with a sentence about the first variable whose name or value is wrong.
void check_environment();

}  // namespace quadrille::command
