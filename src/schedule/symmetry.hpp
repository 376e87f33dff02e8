// SPDX-License-Identifier: BSD-3-Clause
// What a symmetry's group does to buffers, and the group that does nothing.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Every rank stands for itself alone.
inline Symmetry no_symmetry(Count ranks) { return Symmetry({{ranks, ranks}}); }

// Whether the blocks of the buffer belong to ranks 0, 1, .. and so move with them.
inline bool is_indexed_by_rank(Buffer buffer, Collective collective) {
  switch (collective) {
    case Collective::alltoall: return buffer == Buffer::input || buffer == Buffer::output;
    case Collective::scatter:
    case Collective::reduce_scatter: return buffer == Buffer::input;
    case Collective::gather:
    case Collective::allgather: return buffer == Buffer::output;
    default: return false;
  }
}

}  // namespace quadrille
