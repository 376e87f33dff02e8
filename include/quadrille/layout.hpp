// SPDX-License-Identifier: BSD-3-Clause
// Where buffers lie in the user's memory. Schedules speak of canonical buffers without gaps; a plan that is given a layout
// works on the user's memory as it is, whatever the gaps and the order, and copies nothing for it.
//
//   // alltoallv as MPI has it: block i of `counts[i]` bytes at `displacements[i]`
//   plan(communicator, problem, {.algorithm = "shift", .layouts = {.output = layout(counts, displacements)}});
#pragma once

#include <span>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// `length` bytes of the canonical buffer, at `offset` from the address that execute is given.
struct LayoutPiece {
  Bytes offset = 0;
  Bytes length = 0;
  bool operator==(const LayoutPiece&) const = default;
};

// The canonical buffer, piece after piece. Empty: the user's buffer is the canonical one. Pieces of an input may overlap,
// those of an output may not. Those of a reduction hold whole elements.
using Layout = std::vector<LayoutPiece>;

// Counts and displacements of elements of `element_bytes` bytes, as MPI's irregular collectives have them.
// Throws Error{misuse} if there are not as many of one as of the other or a count is negative, Error{too_large} on overflow.
Layout layout(std::span<const Count> counts, std::span<const Count> displacements, Bytes element_bytes = 1);

struct Layouts {
  Layout input{}, output{};
};

// Where MPI_IN_PLACE has a rank's input and output within one buffer: alltoall(v) replaces what it sends; allgather(v) and
// gather(v) find the own block where it belongs in the result; scatter(v) leaves it there; all others begin at the same address.
// Throws Error{misuse} for an alltoallv in which this rank does not receive from each rank as much as it sends to it.
Layouts in_place_layouts(const Problem& problem, Rank rank);

}  // namespace quadrille
