// SPDX-License-Identifier: BSD-3-Clause
// The scatters. Regular and irregular ones differ in where shares lie and in nothing else, and a gather is a scatter run
// backwards, so each is made here once for four algorithms.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// Down a binomial tree: a rank receives the shares of its whole subtree, keeps its own, and hands the rest on.
Program scatter_by_tree(const Problem& problem, const Shares& shares, Rank me);

// From the root straight to everybody, `ports` messages a round, in the order root + 1, root + 2, ..
Program scatter_from_root(const Problem& problem, const Shares& shares, Count ports, Rank me);

// The parameter `ports` of the latter.
Parameter ports_of_root(std::string_view summary);

}  // namespace quadrille
