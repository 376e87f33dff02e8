// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// Returns the least multiple of `unit` that is at least `amount`, such as the bytes of whole pages. `amount` is 0 or more, `unit` 1
// or more.
constexpr Count rounded_up(Count amount, Count unit) { return ceil_divide(amount, unit) * unit; }

}  // namespace quadrille
