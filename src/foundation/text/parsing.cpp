// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/text/parsing.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  std::optional<std::string> word;  // the word that has begun
  char quote = 0;                   // the quote that has begun; 0: none
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char sign = command[i];
    if (quote == 0 && (sign == ' ' || sign == '\t' || sign == '\n')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    if (quote != 0 && sign == quote)
      quote = 0;
    else if (quote == 0 && (sign == '\'' || sign == '"'))
      quote = sign;
    else if (sign == '\\' && quote != '\'' && i + 1 < command.size())
      *word += command[++i];
    else
      *word += sign;
  }
  if (quote != 0)
    throw Error(ErrorCode::misuse, fmt::format("a quote {} has no end in the command: {}", quote, printable(command)));
  if (word) words.push_back(*std::move(word));
  return words;
}

}  // namespace quadrille
