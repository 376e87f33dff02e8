// SPDX-License-Identifier: BSD-3-Clause
// The names of policies, as reports print them and requests compare them.
#pragma once

#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

// As in the command's notation.
constexpr std::string_view name(Policy policy) {
  switch (policy) {
    case Policy::blocking: return "blocking";
    case Policy::nonblocking: return "nonblocking";
    case Policy::dataflow: return "dataflow";
  }
  return "";
}

}  // namespace quadrille
