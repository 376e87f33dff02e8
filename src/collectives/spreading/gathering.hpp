// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that gather the shares of all ranks at every rank. Regular and irregular collectives differ only in where
// shares lie, and a reduction that scatters its result is a gather run backwards. So each function here serves four
// collectives: allgather, allgatherv, reduce_scatter and reduce_scatterv.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Each rank passes the shares that it receives from the left on to the right.
Program gather_along_ring(const Problem& problem, const Shares& shares, Rank me);

// Over skips 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the shares of s_k
// ranks, beginning with its own and going upwards; in the round it receives the shares of the next s_{k+1} - s_k ranks
// from the rank s_k above.
Program gather_by_skips(const Problem& problem, const Shares& shares, Rank me);

// In each round rank i exchanges all its shares with one partner: i ^ 1, then i ^ 2, i ^ 4 and so on. The shares of a
// message are always contiguous in memory. If p is no power of two, ranks without a partner get the shares passed on
// (patterns/covers.hpp). The second function needs a power of two and uses the partners in the order i ^ p/2, i ^ p/4, ..: its
// messages are strided, but the longest of them go to the nearest partner.
Program gather_by_doubling(const Problem& problem, const Shares& shares, Rank me);
Program gather_by_doubling_from_afar(const Problem& problem, const Shares& shares, Rank me);

// The same over the Bine butterfly (patterns/bine.hpp), whose partners are nearer. Nearest first: the shares of a message are
// consecutive (mod p), and p may be any even number. Farthest first: most data goes to the nearest partner, but messages are
// strided, and p must be a power of two.
Program gather_by_bine(const Problem& problem, const Shares& shares, Rank me);
Program gather_by_bine_from_afar(const Problem& problem, const Shares& shares, Rank me);

// Rings along the rows of a grid, then rings along its columns that pass on whole rows.
Program gather_on_mesh(const Problem& problem, Count rows, const Shares& shares, Rank me);

// All p - 1 messages in one round, to i + 1, i + 2, .., so that no rank is the first target of all others.
Program gather_directly(const Problem& problem, const Shares& shares, Rank me);

// The symmetry of programs that are the same for all ranks up to translation, as they are if all shares are equal.
std::optional<Symmetry> translation(const Problem& problem, const Parameters&);

// Succeeds if p is a power of two, as partners i ^ m require.
Result<> has_power_of_two_ranks(const Problem& problem, const Parameters&);

// For the Bine butterfly: the conditions of both orders, and the symmetry, which moves ranks on by even numbers.
Result<> has_even_ranks(Count ranks);
Result<> has_ranks_for_bine_from_afar(Count ranks);
Symmetry even_translation(Count ranks);

}  // namespace quadrille
