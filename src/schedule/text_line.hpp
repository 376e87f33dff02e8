// SPDX-License-Identifier: BSD-3-Clause
// One line of the text form, taken apart from left to right. Every failure is an Error{malformed} that says the line,
// what was expected and what stands there.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

// Letters, digits, `_`, `-` and `.`, beginning with a letter: what needs no quotes.
bool is_word(std::string_view text);

class TextLine {
 public:
  TextLine() = default;
  TextLine(std::string_view text, Count number);
  static TextLine after_the_last(Count number);  // of a text that has ended

  Count number() const { return number_; }
  bool at_end();                            // nothing but blanks and a comment is left
  bool begins_with(std::string_view mark);  // a mark that ends in a word counts only if the word ends there
  bool accept(std::string_view mark);       // skips the mark if it comes next
  void require(std::string_view mark);      // the same, but it must come next
  void require_end();

  std::string_view word(std::string_view what);
  std::string string(std::string_view what);  // a word, or a JSON string in quotes
  bool has_string();                          // a word or a quote comes next
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
