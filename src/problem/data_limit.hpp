// SPDX-License-Identifier: BSD-3-Clause
// The data that a problem may have. Less than half of the largest number, so that the bytes of two buffers can be added.
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// The input and the output of all ranks each have fewer bytes.
inline constexpr Bytes data_limit = Bytes{1} << 62;

}  // namespace quadrille
