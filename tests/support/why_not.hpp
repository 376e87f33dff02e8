// SPDX-License-Identifier: BSD-3-Clause
// Returns the reason why something cannot be done; empty if it can.
#pragma once

#include <string>

#include "quadrille/result.hpp"

namespace quadrille {

template <class Value>
std::string why_not(const Result<Value>& result) {
  return result ? "" : result.error();
}

}  // namespace quadrille
