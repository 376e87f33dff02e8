// SPDX-License-Identifier: BSD-3-Clause
// Compares two problems.
#pragma once

#include <tuple>

#include "quadrille/problem.hpp"

namespace quadrille {

// Compares dense counts by value, because ranks may hold equal counts in different objects. Sparse
// counts are equal only if they are the same object.
inline bool is_same(const Problem& one, const Problem& other) {
  const auto fields = [](const Problem& problem) {
    return std::tie(problem.collective, problem.ranks, problem.block_bytes, problem.sparse_counts, problem.root,
                    problem.element_bytes, problem.commutative, problem.reproducible, problem.nodes, problem.grid);
  };
  if (fields(one) != fields(other)) return false;
  return one.counts == other.counts || (one.counts && other.counts && *one.counts == *other.counts);
}

// Returns true if both problems move the same data. Ignores the placement of ranks, the size of elements and how operands may be
// combined. Counts are compared by value, dense or sparse.
bool moves_the_same(const Problem& one, const Problem& other);

}  // namespace quadrille
