// SPDX-License-Identifier: BSD-3-Clause
// Parses one line of the text form from left to right. Every failure is an Error{malformed} with the line number,
// what was expected and what was found.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

// Is this a word, which needs no quotes? It consists of letters, digits, `_`, `-` and `.`, and begins with a letter.
bool is_word(std::string_view text);

class TextLine {
 public:
  TextLine() = default;
  TextLine(std::string_view text, Count number);
  static TextLine after_the_last(Count number);  // stands for the end of the text

  Count number() const { return number_; }
  bool at_end();                            // is only blank space or a comment left?
  bool begins_with(std::string_view mark);  // if the mark ends in a letter or digit, the word must end there, too
  bool accept(std::string_view mark);       // skips the mark if it is next; returns whether it was
  void require(std::string_view mark);      // skips the mark; throws if it is not next
  void require_end();

  std::string_view word(std::string_view what);
  std::string string(std::string_view what);  // a word, or a JSON string in quotes
  bool has_string();                          // is a word or a quote next?
  std::int64_t integer(std::string_view what, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());

  [[noreturn]] void expected(std::string_view wanted);  // "line 3: expected <wanted>, found '<rest of the line>'"
  [[noreturn]] void refuse(std::string_view sentence) const;

 private:
  void skip_blanks();
  std::string quoted_string();

  std::string_view rest_;
  Count number_ = 0;
  bool is_after_the_last_ = false;
};

}  // namespace quadrille
