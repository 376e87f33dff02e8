// SPDX-License-Identifier: BSD-3-Clause
// The programs that scan and exscan share: an exscan leaves the own vector out of its result, not out of what it tells.
#pragma once

#include "collectives/segments.hpp"

namespace quadrille {

// Every rank hears from the one below what is combined up to there, and tells the one above what is combined up to itself.
Program prefixes_along_chain(const Problem& problem, Count segments, Rank me);

Parameter chain_segments();

// Partners i ^ 1, i ^ 2, i ^ 4, .. exchange what is combined over their runs of ranks; p is a power of two.
Program prefixes_on_hypercube(const Problem& problem, Rank me);

// Every rank tells the one 1, 2, 4, .. above it what is combined over the ranks up to its own.
Program prefixes_by_doubling(const Problem& problem, Rank me);

}  // namespace quadrille
