// SPDX-License-Identifier: BSD-3-Clause
// A program on canonical buffers becomes one on the user's memory.
#pragma once

#include <functional>

#include "quadrille/layout.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// The smallest [first, last) that holds a buffer of `bytes` bytes as it lies in the user's memory.
std::pair<Bytes, Bytes> extent(const Layout& layout, Bytes bytes);

// The same program with input and output where the layouts have them. `in_place`: both lie in one buffer, the output's, and the
// input may be overwritten; it is saved in scratch memory first if the program reads any of it after writing there. Throws
// Error{misuse} if a layout has not as many bytes as its buffer, or output pieces overlap.
Program bound(Program program, const Problem& problem, const Layouts& layouts, bool in_place);

// The same for a program that is not there yet.
struct BoundMemory {
  std::function<Regions(const Regions&)> place;  // where regions lie in the user's memory; null: they are there already
  Regions saved;  // in place: the input, in the output's buffer; to be copied away before anything else
};
BoundMemory bound_memory(const Problem& problem, Rank rank, const Layouts& layouts, bool in_place);

}  // namespace quadrille
