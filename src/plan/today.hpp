// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/chrono.h>

#include <ctime>
#include <string>

namespace quadrille {

// As in 2026-11-22, by universal time.
inline std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:%Y-%m-%d}", parts);
}

}  // namespace quadrille
