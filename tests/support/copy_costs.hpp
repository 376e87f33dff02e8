// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "execute/shared/wait/costs.hpp"

namespace quadrille::testing {

// Costs in microseconds for 64 KiB: 1 for the copy in, 1 for the copy out, and `once` for copying once.
inline CopyCosts costs_of(double once, double wait) {
  CopyCosts costs;
  for (std::size_t i = 0; i < CopyCosts::sizes.size(); ++i) {
    const double parts = static_cast<double>(CopyCosts::sizes[i]) / 65536;
    costs.in[i] = costs.out[i] = 1e-6 * parts;
    costs.once[i] = once * 1e-6 * parts;
  }
  costs.wait = wait * 1e-6;
  return costs;
}

}  // namespace quadrille::testing
