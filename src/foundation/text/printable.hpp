// SPDX-License-Identifier: BSD-3-Clause
// Writing text: texts of files and arguments in messages and pictures, and a large buffer in front of a stream.
#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string>
#include <string_view>

namespace quadrille {

// A text of a file or an argument may hold anything: also line ends, and sequences that change the colours of a terminal. Returns
// the text with control characters, characters that are invisible or change the direction of text, noncharacters that XML
// does not allow, and bytes that are not UTF-8, as escapes: "a\x0ab".
std::string printable(std::string_view text);

// Returns the beginning of a text for an error message: at most `most` bytes; bytes that are not ASCII become escapes, too. A
// text that is cut ends in "...".
std::string excerpt(std::string_view text, std::size_t most = 40);

// Writes formatted text to a stream through a large buffer.
class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    print_arguments(format, fmt::make_format_args(arguments...));
  }

  void flush();  // writes what is in the buffer; call it at the end

 private:
  // Not inline, so that fmt's formatting is compiled once.
  void print_arguments(fmt::string_view format, fmt::format_args arguments);

  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

}  // namespace quadrille
