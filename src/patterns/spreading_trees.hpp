// SPDX-License-Identifier: BSD-3-Clause
// Trees with more than two branches, or with other positions than the binomial tree (binomial.hpp). Ranks are numbered from the
// root: v = (rank - root) mod p.
#pragma once

#include <string>

#include "patterns/tree_position.hpp"

namespace quadrille {

// Which digit of a rank's number is the last one on its way from the root. Far: the lowest, so that the first messages go far.
// Near: the highest.
enum class KnomialOrder : std::uint8_t { far, near };

// The rank's position in the k-nomial tree with k = `radix`, as one phase with this name. Numbers have d = ceil(log_k p) digits. In
// each round one digit is decided: a rank that has the data sends it to the k - 1 ranks that differ from it in this digit, which is
// still 0 in its own number.
TreePosition position_in_knomial_tree(Count ranks, Rank root, Count radix, KnomialOrder order, std::string phase, Rank me);

// The rank's position in the tree in which every rank has `fan_out` children until none are left, and all children of a rank
// receive in the same round. Level i has fan_out^i ranks with consecutive numbers, and child j = 1 .. fan_out of v is v + j *
// fan_out^i.
TreePosition position_in_full_tree(Count ranks, Rank root, Count fan_out, std::string phase, Rank me);

// The rank's position in the in-order binary tree, in which the last rank of a run of n ranks has two children: the last of the
// first floor(n / 2) ranks, whose run these are, and the one before it, whose run is the rest. The root is the last of all ranks.
// Children receive in the same round; the nearer one is listed first.
TreePosition position_in_in_order_tree(Count ranks, std::string phase, Rank me);

}  // namespace quadrille
