// SPDX-License-Identifier: BSD-3-Clause
// Sizes as users write them.
#pragma once

#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

// "8B", "64KiB", "1MB", "1.5K": a number of bytes or of units, where all in all it is a whole number of bytes. Throws Error{misuse}
// with a sentence that says what was expected.
Bytes parse_size(std::string_view text);

}  // namespace quadrille
