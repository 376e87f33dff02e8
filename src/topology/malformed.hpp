// SPDX-License-Identifier: BSD-3-Clause
// Errors about files that describe networks.
#pragma once

#include <fmt/format.h>

#include <string>

#include "quadrille/error.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

[[noreturn]] inline void malformed_line(const std::string& label, Count line, const std::string& what) {
  throw Error(ErrorCode::malformed, fmt::format("{}, line {}: {}", label, line, what));
}

}  // namespace quadrille
