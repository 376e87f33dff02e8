// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// The remainder in 0 .. count - 1, also for negative numbers. Overflows for numbers near the limits of Count.
constexpr Count modulo(Count number, Count count) { return (number % count + count) % count; }

}  // namespace quadrille
