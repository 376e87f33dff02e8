// SPDX-License-Identifier: BSD-3-Clause
// allgather/bine, allgatherv/bine: recursive doubling over the Bine butterfly, whose partners are about a third nearer.
// Source  [desensi2025] Bine butterflies.
// Needs   p even, or 1; with far partners first a power of two; shares of any size, which may be empty.
// Idea    In step i an even rank exchanges all that it holds with rank + d_i, and an odd rank with rank - d_i (mod p), where
//         d_i = 1, -1, 3, -5, 11, .. is the sum of the first powers of -2. In the order of i a rank holds the blocks of
//         consecutive ranks (mod p). If p is not a power of two, partners of the last step have blocks in common and send the
//         others only. In the reverse order blocks lie at equal distances in memory, and most data goes to the nearest partner.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port. With shares C2 is the sum over the
//         rounds of the most that one rank sends.
// Prefer  networks of groups with few links between them, such as dragonflies and tapered fat trees, with ranks in the order of
//         the groups: fewer exchanges leave a group than with recursive doubling.
#include "collectives/spreading/gathering.hpp"
#include "patterns/powers.hpp"

namespace quadrille {
namespace {

Parameter order() {
  return {
      .name = "first",
      .summary = "the first partners: near ones, which keeps messages contiguous, or far ones, which sends most data to near ones",
      .standard = "near",
      .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
        return is_power_of_two(problem.ranks) ? "far" : "near";
      },
      .standard_rule = "far if p is a power of two, else near",
      .choices = {"near", "far"},
      .range = {},
      .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
        if (!is_power_of_two(problem.ranks)) return {"near"};
        return {"near", "far"};
      }};
}

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return word(parameters, "first") == "far" ? gather_by_bine_from_afar(problem, shares(analysis), me)
                                            : gather_by_bine(problem, shares(analysis), me);
}

Result<> applies(const Problem& problem, const Parameters& parameters) {
  return word(parameters, "first") == "far" ? has_ranks_for_bine_from_afar(problem.ranks) : has_even_ranks(problem.ranks);
}

std::optional<Symmetry> symmetry(const Problem& problem, const Parameters&) { return even_translation(problem.ranks); }

}  // namespace

Algorithm allgather_bine(Collective collective) {
  return {
      .collective = collective,
      .id = "bine",
      .summary = "exchange all " + share_word(collective) + "s held with partners about a third nearer than in recursive doubling",
      .picture =
          "As with recursive doubling, what a rank holds doubles in each round, but partners are at distances .., 5, 3, 1, 1 "
          "instead of .., 8, 4, 2, 1, the farthest first. So less data leaves a group of neighbouring ranks, which matters where "
          "few links join the groups.",
      .needs = "p even; far first: a power of two",
      .source = "desensi2025",
      .parameters = {order()},
      .generate = generate,
      .applies = applies,
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : symmetry,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille
