// SPDX-License-Identifier: BSD-3-Clause
// A layout says where a canonical buffer lies in the user's memory. Schedules address canonical buffers, which have no gaps. A plan
// with a layout works directly on the user's memory, with any gaps and any order, and does not pack it first.
//
//   // alltoallv with MPI's arguments: block i has counts[i] bytes at displacements[i]
//   plan(communicator, problem, {.algorithm = "shift", .layouts = {.output = layout(counts, displacements)}});
#pragma once

#include <span>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// `length` bytes of the canonical buffer. In the user's memory they lie `offset` bytes from the address that is passed to execute.
struct LayoutPiece {
  Bytes offset = 0;
  Bytes length = 0;
  bool operator==(const LayoutPiece&) const = default;
};

// The pieces of the canonical buffer, in its order. Empty: the user's buffer is itself canonical. Pieces of an input may overlap,
// pieces of an output may not. In a reduction, each piece must hold whole elements.
using Layout = std::vector<LayoutPiece>;

// Makes a layout from MPI's counts and displacements, in elements of `element_bytes` bytes. Throws Error{misuse} if the two lists
// differ in length or a count is negative, Error{too_large} on overflow.
Layout layout(std::span<const Count> counts, std::span<const Count> displacements, Bytes element_bytes = 1);

// `count` blocks of `length` bytes, one every `stride` bytes: a column of a matrix, say. Throws Error{misuse} if a count or length
// is negative, Error{too_large} on overflow.
Layout strided(Count count, Bytes length, Bytes stride);

// The same layout, `distance` bytes farther on. Throws Error{too_large} on overflow.
Layout shifted(Layout layout, Bytes distance);

struct Layouts {
  Layout input{}, output{};
};

// Returns where a rank's input and output lie within one buffer if the call uses MPI_IN_PLACE. alltoall(v): the output replaces the
// input. allgather(v) and gather(v): the rank's own block is already at its place in the result. scatter(v): the root's block stays
// where it is. All others: input and output begin at the same address. Throws Error{misuse} for an alltoallv in which this rank
// sends a rank another number of bytes than it receives from that rank.
Layouts in_place_layouts(const Problem& problem, Rank rank);

}  // namespace quadrille
