// SPDX-License-Identifier: BSD-3-Clause
// alltoall in segments: the first segment of every block is exchanged, then the second segment of every block, and so
// on. Each segment is exchanged by the same algorithm, in stages of its own. So less data is in flight at a time, and
// messages may be short enough for the eager protocol.
#pragma once

#include <functional>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The parameter `segments`, in 1 .. max(1, elements of a block); the default is 1.
Parameter exchange_segments_parameter();

// `generate` returns the program for blocks of any size; each of its regions must lie within one block.
Program exchange_in_segments(const Problem& problem, const Parameters& parameters,
                             const std::function<Program(const Problem&)>& generate);

}  // namespace quadrille
