// SPDX-License-Identifier: BSD-3-Clause
// Exchanges over doubling distances among any number of ranks [thakur2005]. Groups of 2^k consecutive ranks exchange: rank r with
// r ^ 2^k. The last group may have fewer ranks. If it is the upper one of its pair, some ranks of the lower group have no partner;
// those that have one pass on what they have got, over the distances 2^(k-1), .., 2, 1.
#pragma once

#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct PassingOn {
  std::optional<Rank> to, from;  // at most one of them
};

// Returns what `me` does in each of the rounds after the exchange between groups of `size` ranks, a power of two. There are log2
// size rounds, or none if all ranks of the last pair of groups have partners, or all have none.
std::vector<PassingOn> passing_on(Count ranks, Count size, Rank me);

}  // namespace quadrille
