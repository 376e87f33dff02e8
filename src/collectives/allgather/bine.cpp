// SPDX-License-Identifier: BSD-3-Clause
// allgather/bine, allgatherv/bine, reduce_scatter/bine, reduce_scatterv/bine: recursive doubling over the Bine butterfly, whose
// partners are about a third nearer than those of a hypercube; recursive halving for a reduction.
// Source  [desensi2025] Bine butterflies.
// Needs   p even, or 1. p a power of two if messages are strided: with first=far, or in a reduction with first=near. Shares of
//         any size, which may be empty. A reduction needs an operator that commutes if p > 4.
// Idea    Let d_i be the sum of the first i + 1 powers of -2: 1, -1, 3, -5, 11, .. In step i an even rank exchanges all that it
//         holds with rank + d_i, and an odd rank with rank - d_i (mod p). If i ascends, a rank always holds the blocks of
//         consecutive ranks (mod p). If p is not a power of two, partners of the last step have blocks in common, and each sends
//         only what the other lacks. If i descends, blocks lie at equal distances in memory, and most data goes to the nearest
//         partner. A reduce_scatter runs the allgather backwards, so half of the vector goes to the first partner.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port. With shares C2 is the sum over the
//         rounds of the most that one rank sends.
// Prefer  networks of groups with few links between them, such as dragonflies and tapered fat trees, with ranks in the order of
//         the groups: fewer exchanges leave a group than with recursive doubling or halving.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

// The value of `first` with which messages are strided and the longest messages go to the nearest partner.
std::string_view strided_first(Collective collective) { return is_reduction(collective) ? "near" : "far"; }
std::string_view contiguous_first(Collective collective) { return is_reduction(collective) ? "far" : "near"; }

bool is_strided(const Problem& problem, const Parameters& parameters) {
  return word(parameters, "first") == strided_first(problem.collective);
}

Parameter order(Collective collective) {
  return {
      .name = "first",
      .summary = is_reduction(collective)
                     ? "the first partners: near ones, which get most data, or far ones, which keeps messages contiguous"
                     : "the first partners: near ones, which keeps messages contiguous, or far ones, which sends most data to "
                       "near ones",
      .standard = std::string(contiguous_first(collective)),
      .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
        const bool strided = is_power_of_two(problem.ranks);
        return std::string(strided ? strided_first(problem.collective) : contiguous_first(problem.collective));
      },
      .standard_rule = is_reduction(collective) ? "near if p is a power of two, else far" : "far if p is a power of two, else near",
      .choices = {"near", "far"},
      .range = {},
      .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
        if (!is_power_of_two(problem.ranks)) return {std::string(contiguous_first(problem.collective))};
        return {"near", "far"};
      }};
}

Program generate_bine(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  Program gather = is_strided(problem, parameters) ? gather_by_bine_from_afar(problem, shares(analysis), me)
                                                   : gather_by_bine(problem, shares(analysis), me);
  return is_reduction(problem.collective) ? reduced(std::move(gather)) : gather;
}

Result<> bine_applies(const Problem& problem, const Parameters& parameters) {
  return is_strided(problem, parameters) ? has_ranks_for_bine_from_afar(problem.ranks) : has_even_ranks(problem.ranks);
}

Combining bine_combining(const Problem& problem, const Parameters& parameters) {
  if (problem.ranks == 4 && is_strided(problem, parameters)) return Combining::fixed_tree;
  return any_order_of_more_than_two(problem, parameters);
}

std::optional<Symmetry> bine_symmetry(const Problem& problem, const Parameters&) {
  if (is_reduction(problem.collective) && required_combining(problem) != Combining::any_order) return std::nullopt;
  return even_translation(problem.ranks);
}

}  // namespace

Algorithm allgather_bine(Collective collective) {
  Algorithm record{
      .collective = collective,
      .id = "bine",
      .summary = "exchange all " + share_word(collective) + "s held with partners about a third nearer than in recursive doubling",
      .picture =
          "As with recursive doubling, what a rank holds doubles in each round, but partners are at distances .., 5, 3, 1, 1 "
          "instead of .., 8, 4, 2, 1, the farthest first. So less data leaves a group of neighbouring ranks, which matters where "
          "few links join the groups.",
      .needs = "p even; far first: a power of two",
      .source = "desensi2025",
      .parameters = {order(collective)},
      .generate = generate_bine,
      .applies = bine_applies,
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : bine_symmetry,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
  if (!is_reduction(collective)) return record;
  record.summary =
      "exchange partial results, half as many in each round, with partners about a third nearer than in recursive halving";
  record.picture =
      "As with recursive halving, a rank sends half of its partial results in each round, but partners are at distances 1, 1, 3, "
      "5, .. instead of 1, 2, 4, 8, .. So less data leaves a group of neighbouring ranks, which matters where few links join the "
      "groups.";
  record.needs = "p even; near first: a power of two";
  record.combining = bine_combining;
  record.combining_rule = "any order; fixed tree if p <= 2, or if p = 4 and near partners are first";
  return record;
}

}  // namespace quadrille
