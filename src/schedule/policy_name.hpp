// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "quadrille/indexed.hpp"

namespace quadrille {

// As in the command's notation.
inline std::string_view name(Policy policy) {
  static constexpr ByEnum<Policy, std::string_view, 3> names{{"blocking", "nonblocking", "dataflow"}};
  return names[policy];
}

}  // namespace quadrille
