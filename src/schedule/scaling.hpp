// SPDX-License-Identifier: BSD-3-Clause
// Programs for other block sizes (Algorithm::cuts_blocks).
#pragma once

#include <optional>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the homogeneous program for blocks of `to` bytes, from the one for `from` bytes. Returns nothing if a value is no
// multiple of `from`, or if a control message has bytes.
std::optional<Program> scaled(Program program, Bytes from, Bytes to);

}  // namespace quadrille
