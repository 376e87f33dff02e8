// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that combine vectors and scatter the result, for regular and irregular shares, other than those that are
// only a gather run backwards. Also the records that reduce_scatter and reduce_scatterv have in common.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Every rank sends the operands of each share straight to the share's owner, which combines them along the fixed tree.
// If any order is allowed, the tree begins with the owner, so that all ranks have the same program up to translation.
Program reduce_scatter_directly(const Problem& problem, const Shares& shares, Rank me);

// The records that reduce_scatter and reduce_scatterv have in common.
// Recursive halving; `first` selects near or far partners. Near: before the exchange with i ^ m, m = 1, 2, 4, .., rank
// i holds the shares whose numbers agree with i in the lower bits, combined over a run of m ranks: the fixed tree. Far:
// the reverse of recursive doubling.
Algorithm reduce_scatter_by_halving(Collective collective);
// The reverse of gathering over skips that halve p.
Algorithm reduce_scatter_by_skips(Collective collective);
// The reverse of gathering along a ring.
Algorithm reduce_scatter_along_ring(Collective collective);

}  // namespace quadrille
