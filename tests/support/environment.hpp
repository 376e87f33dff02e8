// SPDX-License-Identifier: BSD-3-Clause
// Switches that make tests run longer.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace quadrille::testing {

inline std::uint64_t number_in_environment(const char* name, std::uint64_t standard) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : standard;
}

// True under ./check --long, where tests that enumerate cases take all of them.
inline bool long_tests() { return number_in_environment("QUADRILLE_LONG", 0) != 0; }

}  // namespace quadrille::testing
