// SPDX-License-Identifier: BSD-3-Clause
// Rewrites a program for canonical buffers (contiguous, blocks in rank order) so that it works directly in the user's buffers.
#pragma once

#include <functional>

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the smallest range [first, last) of offsets in the user's memory that contains all pieces of a buffer of `bytes` bytes.
std::pair<Bytes, Bytes> extent(const Layout& layout, Bytes bytes);

// Returns the program with the offsets that the layouts give to input and output. With `in_place`, both lie in the output's
// buffer, and the input may be overwritten. If the program would read input over which it has written output, the returned
// program first saves the input in scratch memory. Throws Error{misuse} if a layout's pieces do not add up to the size of its
// buffer, or if pieces of the output overlap.
Program bound(Program program, const Problem& problem, const Layouts& layouts, bool in_place);

}  // namespace quadrille
