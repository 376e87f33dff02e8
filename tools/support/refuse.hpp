// SPDX-License-Identifier: BSD-3-Clause
// Ends a subcommand that was called wrongly: throws Error{misuse}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quadrille::command {

[[noreturn]] void refuse(const std::string& sentence);

// Refuses an unknown word: "there is no <what> '<word>'", with the most similar of `known`, or with all of them.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known);

}  // namespace quadrille::command
