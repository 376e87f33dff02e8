// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph_limits.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"

namespace quadrille {
namespace {

constexpr Count graph_limits_most_ranks = Count{1} << 20, most_edges = Count{1} << 22;

}  // namespace

void check_graph_numbers(const std::string& name, const std::vector<Count>& numbers) {
  Count product = 1;
  for (const Count number : numbers) {
    if (number < 1)
      throw Error(ErrorCode::misuse, fmt::format("a number of the topology '{}' is {}; all are 1 or more", name, number));
    if (__builtin_mul_overflow(product, number, &product) || product > graph_limits_most_ranks)
      throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has more than 2^20 ranks", name));
  }
}

void check_graph_edges(const std::string& name, Count edges) {
  if (edges > most_edges)
    throw Error(ErrorCode::too_large, fmt::format("the topology '{}' has {} edges; the limit is {}", name, edges, most_edges));
}

}  // namespace quadrille
