// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/bine, reduce_scatterv/bine: recursive halving over the Bine butterfly, whose partners are about a third nearer.
// Source  [desensi2025] Bine butterflies.
// Needs   p even, or 1, and with near partners first a power of two. If p > 4, an operator that commutes. Shares may have any
//         size, also none.
// Idea    allgather/bine backwards. With the nearest partner first, half of the vector goes to the neighbour, and only one block
//         to the farthest partner, but messages are strided. With the farthest partner first, the blocks of a message are those
//         of consecutive ranks, where rank 0 follows rank p - 1.
// Cost    C1 = ceil(log2 p) rounds; C2 = p - 1 blocks: both the least possible on one port. With shares C2 is the sum over the
//         rounds of the most that a rank sends.
// Prefer  networks of groups with few links between them, with ranks in the order of the groups.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/gathering.hpp"
#include "patterns/powers.hpp"
#include "schedule/reduction.hpp"

namespace quadrille {
namespace {

Parameter order() {
  return {.name = "first",
          .summary = "the first partners: near ones, which get most data, or far ones, which keeps messages contiguous",
          .standard = "far",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return is_power_of_two(problem.ranks) ? "near" : "far";
          },
          .standard_rule = "near if p is a power of two, else far",
          .choices = {"near", "far"},
          .range = {},
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            if (!is_power_of_two(problem.ranks)) return {"far"};
            return {"near", "far"};
          }};
}

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return reduced(word(parameters, "first") == "near" ? gather_by_bine_from_afar(problem, shares(analysis), me)
                                                     : gather_by_bine(problem, shares(analysis), me));
}

Result<> applies(const Problem& problem, const Parameters& parameters) {
  return word(parameters, "first") == "near" ? has_ranks_for_bine_from_afar(problem.ranks) : has_even_ranks(problem.ranks);
}

Combining combining(const Problem& problem, const Parameters& parameters) {
  if (problem.ranks == 4 && word(parameters, "first") == "near") return Combining::fixed_tree;
  return any_order_of_more_than_two(problem, parameters);
}

std::optional<Symmetry> symmetry(const Problem& problem, const Parameters&) {
  if (required_combining(problem) != Combining::any_order) return std::nullopt;
  return even_translation(problem.ranks);
}

}  // namespace

Algorithm reduce_scatter_bine(Collective collective) {
  return {
      .collective = collective,
      .id = "bine",
      .summary =
          "exchange partial results, half as many in each round, with partners about a third nearer than in recursive halving",
      .picture =
          "As with recursive halving, a rank sends half of its partial results in each round, but partners are at distances 1, 1, "
          "3, 5, .. instead of 1, 2, 4, 8, .. So less data leaves a group of neighbouring ranks, which matters where few links "
          "join the groups.",
      .needs = "p even; near first: a power of two",
      .source = "desensi2025",
      .parameters = {order()},
      .generate = generate,
      .applies = applies,
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : symmetry,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = combining,
      .combining_rule = "any order; fixed tree if p <= 2, or if p = 4 and near partners are first",
  };
}

}  // namespace quadrille
