// SPDX-License-Identifier: BSD-3-Clause
#include "tune/fit/fit_problem.hpp"

#include <algorithm>

#include "execute/transport.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Problem fit_problem(Communicator& communicator, Collective collective, Bytes block, const Operator& operation) {
  const Count ranks = communicator.size();
  Problem problem{.collective = collective, .ranks = ranks};
  if (is_reduction(collective)) problem.element_bytes = operation.element_bytes, problem.commutative = operation.commutative;
  if (is_irregular(collective)) {
    problem.counts = std::make_shared<const std::vector<Bytes>>(index(has_pair_counts(collective) ? ranks * ranks : ranks), block);
    problem.block_bytes = 0;
  } else if (moves_data(collective)) {
    problem.block_bytes = block;
  }
  return placed(communicator, std::move(problem));
}

// The root has the longest buffers; fits use root 0.
Bytes longest_buffer(const Problem& problem) { return std::max(input_bytes(problem, 0), output_bytes(problem, 0)); }

// The limit is fixed because the answer must be equal on all ranks, and nodes may differ in memory.
bool is_small(const Problem& problem) {
  constexpr Bytes most = Bytes{1} << 28;
  return longest_buffer(problem) <= most / (2 * problem.ranks);
}

bool has_vendor(Communicator& communicator, const Problem& problem, const std::shared_ptr<const Operator>& operation) {
  const ByRank<char> has = gathered<char>(communicator, communicator.transport().vendor(problem, operation, {}) ? 1 : 0);
  return std::all_of(has.begin(), has.end(), [](char each) { return each != 0; });
}

}  // namespace quadrille
