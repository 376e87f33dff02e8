// SPDX-License-Identifier: BSD-3-Clause
// How a symmetry acts on buffers, the trivial symmetry, and the programs of representatives, which stand for the programs of all
// ranks.
#pragma once

#include <functional>

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

// The most programs that are made one after the other, because making them takes some minutes. A schedule with a
// symmetry needs few programs for any number of ranks.
inline constexpr Count most_programs = Count{1} << 28;

// Calls `visit` with one program at a time and the number of ranks for which it stands. If `by_symmetry` is set and the
// schedule states a symmetry, these are the representatives' programs, otherwise the programs of all ranks. Stops when
// `visit` returns false. Throws Error{too_large} if there are more than `most_programs`.
void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit);

// Returns the number of operations of one program, or of all ranks' programs together, so that code that makes all programs can
// refuse schedules that are too large before it allocates memory (problem/limits.hpp). Rounds, local operations, and both ends of
// messages count. The second function stops counting once the result exceeds `most`.
Count operation_count(const Program& program);
Count operation_count(const Schedule& schedule, Count most);

}  // namespace quadrille
