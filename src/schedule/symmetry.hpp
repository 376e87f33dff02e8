// SPDX-License-Identifier: BSD-3-Clause
// How a symmetry acts on buffers, and the trivial symmetry.
#pragma once

#include "problem/collective_facts.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// The trivial symmetry: every rank represents only itself.
inline Symmetry no_symmetry(Count ranks) { return Symmetry({{ranks, ranks}}); }

// Does the symmetry add the same number to all ranks, as translation_symmetry does?
inline bool is_translation(const Symmetry& symmetry) { return symmetry.name() == translation_symmetry(symmetry.ranks()).name(); }

// Do the blocks of the buffer belong to ranks 0, 1, ..? If so, a symmetry that moves ranks moves these blocks with
// them.
inline bool is_indexed_by_rank(Buffer buffer, Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  if (buffer == Buffer::scratch || !has_blocks(collective)) return false;
  return (buffer == Buffer::input ? facts.input : facts.output).holding == Holding::all;
}

}  // namespace quadrille
