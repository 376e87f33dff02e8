// SPDX-License-Identifier: BSD-3-Clause
// Parses sizes as users write them.
#pragma once

#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille {

// Parses a number with an optional unit, such as "8B", "64KiB", "1MB" or "1.5K". The result must be a whole number of bytes. Throws
// Error{misuse} with a sentence that says what was expected.
Bytes parse_size(std::string_view text);

}  // namespace quadrille
