// SPDX-License-Identifier: BSD-3-Clause
// Refusing what is too large before anything of that size is made: one sentence says what is needed, what there is, and what to do.
#pragma once

#include <string_view>

#include "quadrille/problem.hpp"

namespace quadrille {

// Shares, or nodes of ranks, that one problem lists. Larger lists are not made for anybody.
inline constexpr Count most_listed = Count{1} << 24;

// Throws Error{too_large} if `needed` is more than `most`: "alltoall among 10 ranks takes at least 100 <things>; the limit is .."
void check_limit(const Problem& problem, Count needed, Count most, std::string_view things);

// The same for memory, of which there is what this process can still have.
void check_memory(const Problem& problem, Bytes needed, std::string_view things);

}  // namespace quadrille
