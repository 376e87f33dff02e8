// SPDX-License-Identifier: BSD-3-Clause
// The ways to combine vectors and scatter the result that are no gathering run backwards, and for regular and irregular shares
// the same; and the records of those that the two share.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Everybody's share straight to its owner, who combines what comes along the fixed tree. Where any order will do the tree begins
// with the owner, so that all ranks do the same.
Program reduce_scatter_directly(const Problem& problem, const Shares& shares, Rank me);

// The records that reduce_scatter and reduce_scatterv share.
// Recursive halving, `first` = near | far partners. Near: before the exchange with i ^ m, m = 1, 2, 4, .., rank i is
// responsible for the shares whose numbers have its lower bits, combined over a run of m ranks: the fixed tree. Far is the
// reverse of recursive doubling.
Algorithm reduce_scatter_by_halving(Collective collective);
// The reverse of gathering by skips that halve p.
Algorithm reduce_scatter_by_skips(Collective collective);
// The reverse of gathering along a ring.
Algorithm reduce_scatter_along_ring(Collective collective);

}  // namespace quadrille
