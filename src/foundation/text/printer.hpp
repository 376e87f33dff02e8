// SPDX-License-Identifier: BSD-3-Clause
// Writes formatted text to a stream through a large buffer.
#pragma once

#include <fmt/format.h>

#include <ostream>

namespace quadrille {

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
