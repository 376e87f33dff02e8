// SPDX-License-Identifier: BSD-3-Clause
// Returns what the error says that a call throws; empty if it throws none.
#pragma once

#include <functional>
#include <string>

#include "quadrille/error.hpp"

namespace quadrille::testing {

inline std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace quadrille::testing
