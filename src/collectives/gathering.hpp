// SPDX-License-Identifier: BSD-3-Clause
// The ways to gather everybody's share everywhere. Regular and irregular ones differ in where shares lie and in nothing else, and
// a reduction that scatters its result is such a way run backwards, so each is made here once for four algorithms.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Everybody passes on to the right what came from the left.
Program gather_along_ring(const Problem& problem, const Shares& shares, Rank me);

// Along skips 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2): before round k a rank holds the shares of s_k ranks from
// its own upwards, and gets those of the next s_{k+1} - s_k from the rank s_k above.
Program gather_by_skips(const Problem& problem, const Shares& shares, Rank me);

// Everything held is exchanged with i ^ 1, i ^ 2, i ^ 4, ..: always a run of memory. Or with i ^ p/2, i ^ p/4, .. first: the shares
// of every so many ranks, of which most go to the nearest.
Program gather_by_doubling(const Problem& problem, const Shares& shares, Rank me);
Program gather_by_doubling_from_afar(const Problem& problem, const Shares& shares, Rank me);

// For allgather and allgatherv: the parameter `first`, which of the two it is.
Parameter doubling_order();
Program gather_by_doubling(const Problem& problem, const Parameters& parameters, const Shares& shares, Rank me);

// Rings along the rows of a grid, then along its columns with whole rows.
Program gather_on_mesh(const Problem& problem, Count rows, const Shares& shares, Rank me);

// All p - 1 messages in one round, to i + 1, i + 2, .., so that no rank is everybody's first target.
Program gather_directly(const Problem& problem, const Shares& shares, Rank me);

// Partners i ^ m need a power of two.
Result<> has_power_of_two_ranks(const Problem& problem, const Parameters&);

}  // namespace quadrille
