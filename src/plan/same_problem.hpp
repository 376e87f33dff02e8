// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "quadrille/problem.hpp"

namespace quadrille {

// Counts are compared by where they are kept: equal ones that are kept apart make two problems.
inline bool is_same(const Problem& one, const Problem& other) {
  const auto fields = [](const Problem& problem) {
    return std::tie(problem.collective, problem.ranks, problem.block_bytes, problem.counts, problem.sparse_counts, problem.root,
                    problem.element_bytes, problem.commutative, problem.reproducible, problem.nodes, problem.grid);
  };
  return fields(one) == fields(other);
}

}  // namespace quadrille
