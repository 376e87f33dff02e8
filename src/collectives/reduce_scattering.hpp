// SPDX-License-Identifier: BSD-3-Clause
// The ways to combine vectors and scatter the result that are no gathering run backwards, and for regular and irregular shares
// the same; and the parameter of recursive halving, which can be both.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Everybody's share straight to its owner, who combines what comes along the fixed tree. Where any order will do the tree begins
// with the owner, so that all ranks do the same.
Program reduce_scatter_directly(const Problem& problem, const Shares& shares, Rank me);

// Recursive halving, `first` = near | far partners. Near: before the exchange with i ^ m, m = 1, 2, 4, .., rank i is
// responsible for the shares whose numbers have its lower bits, combined over a run of m ranks: the fixed tree. Far is the
// reverse of recursive doubling.
Program reduce_scatter_by_halving(const Problem& problem, const Parameters& parameters, const Shares& shares, Rank me);
Parameter halving_order();
Combining combining_of_halving(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view combining_rule_of_halving = "near first: fixed tree; far first: any order";

}  // namespace quadrille
