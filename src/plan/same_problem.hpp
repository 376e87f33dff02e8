// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "quadrille/problem.hpp"

namespace quadrille {

// Counts are compared by value: ranks may hold them in objects of their own, and ask for the same. Sparse ones are the same object
// or not the same.
inline bool is_same(const Problem& one, const Problem& other) {
  const auto fields = [](const Problem& problem) {
    return std::tie(problem.collective, problem.ranks, problem.block_bytes, problem.sparse_counts, problem.root,
                    problem.element_bytes, problem.commutative, problem.reproducible, problem.nodes, problem.grid);
  };
  if (fields(one) != fields(other)) return false;
  return one.counts == other.counts || (one.counts && other.counts && *one.counts == *other.counts);
}

}  // namespace quadrille
