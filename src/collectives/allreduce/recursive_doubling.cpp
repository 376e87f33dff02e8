// SPDX-License-Identifier: BSD-3-Clause
// allreduce/recursive-doubling: ranks exchange partial results with one partner in each round, whose distance doubles.
// Source  [grama2003] all-reduce on a hypercube; if p is not a power of two, ranks are folded as in MPI libraries.
// Needs   nothing: any p, any operator.
// Idea    Partners i ^ 1, i ^ 2, i ^ 4, .. exchange partial results, each over consecutive ranks. If p = 2^d + q with 0 < q <
//         2^d, only 2^d ranks take part in the exchange, because the first 2 q ranks are folded in pairs of neighbours: before
//         the exchange the lower rank of a pair sends its vector to the upper rank, and after the exchange the lower rank
//         receives the result from the upper rank.
// Cost    C1 = log2 p rounds and C2 = log2 p vectors if p is a power of two: the least possible C1 on one port. For other p,
//         C1 = floor(log2 p) + 2 rounds and C2 = floor(log2 p) + 2 vectors, because folding takes two more rounds.
// Prefer  short vectors.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

Program generate_recursive_doubling(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  return exchange_of_vectors(
      problem, [](Count x, Count round, Count) { return x ^ (Count{1} << round); }, me);
}

std::optional<Symmetry> recursive_doubling_symmetry(const Problem& problem, const Parameters&) {
  if (!is_power_of_two(problem.ranks) || required_combining(problem) != Combining::any_order) return std::nullopt;
  return exclusive_or_symmetry(problem.ranks);
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling{
    .collective = Collective::allreduce,
    .id = "recursive-doubling",
    .summary = "exchange partial results with i ^ 1, i ^ 2, i ^ 4, ..: the fewest rounds",
    .picture =
        "Partners exchange their partial results, so the number of operands in each doubles: 1, 2, 4, 8, as the colour shows. No "
        "algorithm has fewer rounds on one port. But a whole vector travels in every round, so it is for short vectors.",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          return is_power_of_two(problem.ranks) ? says_swap("its partial result", round) + ", and combines both" : std::string();
        },
    .generate = generate_recursive_doubling,
    .symmetry = recursive_doubling_symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = combining_of_folded,
    .combining_rule = combining_rule_of_folded,
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille
