// SPDX-License-Identifier: BSD-3-Clause
// alltoall in segments: the first part of every block is exchanged, then the second of every block, and so on, each by the same
// algorithm and in stages of its own. So much the less is under way at a time, and messages may be short enough to be sent unasked.
#pragma once

#include <functional>

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The parameter `segments`, 1 .. max(1, elements of a block), which is 1 unless asked for.
Parameter exchange_segments_parameter();

// `generate` makes the program for blocks of any size, in which every region is of one block.
Program exchange_in_segments(const Problem& problem, const Parameters& parameters,
                             const std::function<Program(const Problem&)>& generate);

}  // namespace quadrille
