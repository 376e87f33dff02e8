// SPDX-License-Identifier: BSD-3-Clause
// Texts of files and arguments in messages and pictures. Such a text may hold anything: also line ends, and sequences that change
// the colours of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace quadrille {

// Returns the text with control characters, characters that are invisible or change the direction of text, noncharacters that XML
// does not allow, and bytes that are not UTF-8, as escapes: "a\x0ab".
std::string printable(std::string_view text);

// Returns the beginning of a text for an error message: at most `most` bytes, and all that are not ASCII as escapes, too. A text
// that is cut ends in "...".
std::string excerpt(std::string_view text, std::size_t most = 40);

}  // namespace quadrille
