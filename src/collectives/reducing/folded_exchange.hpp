// SPDX-License-Identifier: BSD-3-Clause
// Allreduces in which ranks exchange whole partial results with one partner in each round. The partners are those of a butterfly
// over a power of two of ranks; if p is none, ranks are folded in pairs of neighbours.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The partner of x, one of `count` numbers, in a round; count is a power of two.
using PartnerOfRound = Count (*)(Count x, Count round, Count count);

// If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs of neighbours: before the exchange the lower rank of a pair sends
// its vector to the upper rank, and after it the lower rank receives the result from the upper rank. The 2^d ranks that exchange
// are numbered in the order of ranks. The operand of the lower rank is on the left. Nothing is copied.
Program exchange_of_vectors(const Problem& problem, PartnerOfRound partner_of, Rank me);

}  // namespace quadrille
