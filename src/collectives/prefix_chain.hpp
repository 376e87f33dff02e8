// SPDX-License-Identifier: BSD-3-Clause
// Prefixes passed on from neighbour to neighbour, as scan/chain and exscan/chain use them.
#pragma once

#include "collectives/segments.hpp"

namespace quadrille {

// Every rank hears from the one below what is combined up to there, and tells the one above what is combined up to itself.
Program prefixes_along_chain(const Problem& problem, Count segments, Rank me);

Parameter chain_segments();

}  // namespace quadrille
