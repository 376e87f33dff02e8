// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quadrille {

// Cuts a command into words at blanks. As in a shell, quotes and \ keep blanks and other signs in a word; nothing else has a
// meaning. Throws Error{misuse} for a quote without its end.
std::vector<std::string> shell_words(std::string_view command);

}  // namespace quadrille
