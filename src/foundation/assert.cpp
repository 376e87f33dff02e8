// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/assert.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace quadrille {

// Writes the line by one call, so that the lines of several ranks do not mix, and allocates nothing.
void broken_contract(const char* file, int line, const char* function, const char* condition) noexcept {
  char text[1024];
  const int length =
      std::snprintf(text, sizeof text, "quadrille: broken contract: %s:%d: %s: %s\n", file, line, function, condition);
  const auto shown = static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof text) - 1));
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, shown);
  std::abort();
}

}  // namespace quadrille
