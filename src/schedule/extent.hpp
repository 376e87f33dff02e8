// SPDX-License-Identifier: BSD-3-Clause
// How much there is to a schedule, found before anything of that size is held. Whoever makes all programs asks here, and refuses
// by problem/limits.hpp.
#pragma once

#include <functional>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Programs that are made one after the other: some minutes. A stated symmetry needs few of them for any number of ranks.
inline constexpr Count most_programs = Count{1} << 28;

// Makes the programs that stand for all, one at a time, with the number of ranks that each stands for: by a stated symmetry those
// of the representatives, else all. Ends where `visit` returns false. Throws Error{too_large} beyond `most_programs`.
void for_each_program(const Schedule& schedule, bool by_symmetry, const std::function<bool(const Program&, Count ranks)>& visit);

// Operations of one program, or of all ranks' programs together: rounds, local operations, and both ends of messages. Counts no
// further than beyond `most`.
Count operation_count(const Program& program);
Count operation_count(const Schedule& schedule, Count most);

}  // namespace quadrille
