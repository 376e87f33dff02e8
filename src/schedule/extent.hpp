// SPDX-License-Identifier: BSD-3-Clause
// Tells the size of a schedule before memory of this size is allocated. Code that makes all programs asks for the size
// first and refuses schedules that are too large (problem/limits.hpp).
#pragma once

#include <functional>

#include "quadrille/schedule.hpp"

namespace quadrille {

// The most programs that are made one after the other, because making them takes some minutes. A schedule with a
// symmetry needs few programs for any number of ranks.
inline constexpr Count most_programs = Count{1} << 28;

// Calls `visit` with one program at a time and the number of ranks for which it stands. If `by_symmetry` is set and the
// schedule states a symmetry, these are the representatives' programs, otherwise the programs of all ranks. Stops when
// `visit` returns false. Throws Error{too_large} if there are more than `most_programs`.
void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit);

// Returns the number of operations of one program, or of all ranks' programs together. Rounds, local operations, and
// both ends of messages count. The second function stops counting once the result exceeds `most`.
Count operation_count(const Program& program);
Count operation_count(const Schedule& schedule, Count most);

}  // namespace quadrille
