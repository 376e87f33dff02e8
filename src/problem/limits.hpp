// SPDX-License-Identifier: BSD-3-Clause
// Refuses problems that are too large, before memory of their size is allocated. The error says how much is needed, how much is
// available, and what to do.
#pragma once

#include <string_view>

#include "quadrille/problem.hpp"

namespace quadrille {

// The most shares, or nodes of ranks, that one problem may list.
inline constexpr Count most_listed = Count{1} << 24;

// Throws Error{too_large} if `needed` is more than `most`: "alltoall among 10 ranks takes at least 100 <things>; the limit is .."
void check_limit(const Problem& problem, Count needed, Count most, std::string_view things);

// The same for memory: throws Error{too_large} if `needed` is more than available_memory().
void check_memory(const Problem& problem, Bytes needed, std::string_view things);

}  // namespace quadrille
