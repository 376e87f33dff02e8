// SPDX-License-Identifier: BSD-3-Clause
// Cutting texts into parts and words, and reading numbers. Nothing here depends on the program's locale.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace quadrille {

// Returns the text without blanks, tabs and line ends at its beginning and end.
std::string_view trimmed(std::string_view text);

// Returns the parts between separators; one more than there are separators, so "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// Returns the number of which the text consists. Returns nothing if the text has anything else, such as blanks or a plus sign, or
// if the number does not fit.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Cuts a command into words at blanks. As in a shell, quotes and \ keep blanks and other signs in a word; other characters have
// no special meaning. Throws Error{misuse} for a quote that is not closed.
std::vector<std::string> shell_words(std::string_view command);

}  // namespace quadrille
