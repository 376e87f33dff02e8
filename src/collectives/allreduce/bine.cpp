// SPDX-License-Identifier: BSD-3-Clause
// allreduce/bine: recursive doubling, or halving and doubling, over the Bine butterfly, with partners about a third nearer.
// Source  [desensi2025] Bine butterflies; on a ring they are those of [desensi2024], Swing.
// Needs   form=whole: an operator that commutes if p > 2. form=shares: p even, or 1, and an operator that commutes if p > 4.
// Idea    form=whole: let d_i be the sum of the first i + 1 powers of -2: 1, -1, 3, -5, 11, .. In step i an even rank exchanges
//         its partial result with rank + d_i, and an odd rank with rank - d_i (mod p); i runs down to 0. The farthest partner
//         comes first, because in this order all ranks get the same bits: all ranks that combine the same set of operands divide
//         this set into the same two halves. If p is not a power of two, ranks are folded in pairs of neighbours, as in
//         recursive-doubling.
//         form=shares: reduce_scatterv/bine, then allgatherv/bine.
// Cost    whole: C1 = log2 p rounds and C2 = log2 p vectors if p is a power of two, else floor(log2 p) + 2 rounds and vectors.
//         shares: C1 = 2 ceil(log2 p) rounds, C2 = 2 b (p - 1) / p bytes if p divides the vector: the least on one port.
// Prefer  networks of groups with few links between them, with ranks in the order of the groups.
#include "patterns/bine.hpp"
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "collectives/spreading/two_parts.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

bool by_shares(const Parameters& parameters) { return word(parameters, "form") == "shares"; }

Count farthest_first(Count x, Count round, Count count) { return bine_partner(x, ceil_log2(count) - 1 - round, count); }

Parameter form() {
  return {.name = "form",
          .summary = "exchange the whole vector in every round, or combine a share of it at each rank and gather the shares",
          .standard = "whole",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            const Count d = ceil_log2(problem.ranks);
            if (problem.ranks % 2 != 0 || d <= 2) return "whole";
            return problem.block_bytes / d * (d - 2) > nominal_startup_bytes ? "shares" : "whole";
          },
          .standard_rule = "shares if p is even and above 4 and b*(d-2)/d, d = ceil(log2 p), above 8 KiB, else whole",
          .choices = {"whole", "shares"},
          .range = {},
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            if (problem.ranks % 2 != 0) return {"whole"};
            return {"whole", "shares"};
          }};
}

Program generate_bine(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return by_shares(parameters) ? joined_at_the_share(problem, parameters, analysis, me)
                               : exchange_of_vectors(problem, farthest_first, me);
}

std::shared_ptr<const Analysis> analyse_bine(const Problem& problem, const Parameters& parameters) {
  if (!by_shares(parameters)) return nullptr;
  return parts_by_shares(problem, Collective::reduce_scatterv, "bine", Collective::allgatherv, "bine");
}

Combining bine_combining(const Problem& problem, const Parameters& parameters) {
  if (!by_shares(parameters)) return any_order_of_more_than_two(problem, parameters);
  const Problem scattered = problem_of_shares(problem, Collective::reduce_scatterv);
  const Choice scatter = parse_choice(scattered, "bine");
  return scatter.algorithm->combining(scattered, scatter.parameters);
}

std::optional<Symmetry> bine_symmetry(const Problem& problem, const Parameters& parameters) {
  if (by_shares(parameters) || !is_power_of_two(problem.ranks)) return std::nullopt;
  if (required_combining(problem) != Combining::any_order) return std::nullopt;
  return even_translation(problem.ranks);
}

}  // namespace

extern const Algorithm allreduce_bine{
    .collective = Collective::allreduce,
    .id = "bine",
    .summary = "exchange partial results with partners about a third nearer than in recursive doubling",
    .picture =
        "Partners exchange their partial results, the farthest first, at distances .., 5, 3, 1, 1 instead of .., 8, 4, 2, 1. So "
        "fewer messages leave a group of neighbouring ranks, which matters where few links join the groups.",
    .needs = "shares: p even",
    .source = "desensi2025",
    .parameters = {form()},
    .generate = generate_bine,
    .applies = [](const Problem& problem, const Parameters& parameters) -> Result<> {
      if (by_shares(parameters)) return has_even_ranks(problem.ranks);
      return {};
    },
    .analyse = analyse_bine,
    .symmetry = bine_symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
    .combining = bine_combining,
    .combining_rule = "any order; fixed tree if p <= 2, or if p = 4 and by shares",
};

}  // namespace quadrille
