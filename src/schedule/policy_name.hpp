// SPDX-License-Identifier: BSD-3-Clause
// The names of the execution policies.
#pragma once

#include <string_view>

#include "quadrille/indexed.hpp"

namespace quadrille {

// Returns the policy's name as the command line writes it.
inline std::string_view name(Policy policy) {
  static constexpr ByEnum<Policy, std::string_view, 3> names{{"blocking", "nonblocking", "dataflow"}};
  return names[policy];
}

}  // namespace quadrille
