// SPDX-License-Identifier: BSD-3-Clause
#include "problem/same_problem.hpp"

#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

bool moves_the_same(const Problem& one, const Problem& other) {
  Problem placed = one;
  placed.nodes = other.nodes;
  placed.grid = other.grid;
  placed.element_bytes = other.element_bytes;
  placed.commutative = other.commutative;
  placed.reproducible = other.reproducible;
  if (!has_pair_counts(one.collective) || !has_pair_counts(other.collective) || one.ranks != other.ranks)
    return is_same(placed, other);
  const Traffic first(one), second(other);
  for (Rank rank = 0; rank < one.ranks; ++rank)
    if (first.sent_by(rank) != second.sent_by(rank)) return false;
  return true;
}

}  // namespace quadrille
