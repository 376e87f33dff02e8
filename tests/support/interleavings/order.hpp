// SPDX-License-Identifier: BSD-3-Clause
// The memory orders that a program text states, each with its place in the text. An acquire-release counts as two. A full fence
// counts as one; weakened, it is left out.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace quadrille::interleavings {

// Where an operation is called. The compilers fill in the arguments at the call; clang 14 has no std::source_location.
struct Place {
  const char* file;
  unsigned line;
  const char* function;

  static constexpr Place here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                              const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
  std::string_view file_name() const {
    const std::string_view path = file;
    return path.substr(path.rfind('/') + 1);
  }
};

struct Order {
  std::string file;
  unsigned line;
  std::string operation;  // such as "load", or "compare_exchange_weak that fails"
  bool is_acquire;        // otherwise it is a release

  auto operator<=>(const Order&) const = default;
};

inline std::string shown(const Order& order) {
  if (order.operation == "fence") return order.file + ":" + std::to_string(order.line) + ": the fence";
  return order.file + ":" + std::to_string(order.line) + ": " + (order.is_acquire ? "acquire" : "release") + " of the " +
         order.operation;
}

}  // namespace quadrille::interleavings
