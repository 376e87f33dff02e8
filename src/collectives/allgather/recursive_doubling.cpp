// SPDX-License-Identifier: BSD-3-Clause
// allgather/recursive-doubling, allgatherv/recursive-doubling: a rank and its partner exchange all their blocks; the partner's
// distance doubles in each round.
// Source  [grama2003] all-to-all broadcast on a hypercube; if p is no power of two, [thakur2005].
// Needs   p a power of two, or passing=yes with near partners first; shares of any size, which may be empty.
// Idea    Before the exchange with i ^ m, m = 1, 2, 4, .., rank i has m blocks: those of the ranks that differ from i only in the
//         bits below m. These blocks are contiguous in memory. With first=far the order of partners is reversed. Then a rank has
//         the blocks of ranks at equal distances, and sends most data to the nearest partner. With passing=yes p may be any
//         number: ranks without a partner get the blocks from ranks with a partner, in log2 m more rounds.
// Cost    C1 = log2 p rounds, C2 = p - 1 blocks, if p is a power of two: both the least possible on one port. With shares C2 is
//         the sum over the rounds of the largest m shares that one rank sends.
// Prefer  p a power of two and blocks of similar size, on links that carry both directions at once.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

Parameter doubling_order() {
  return {
      .name = "first",
      .summary = "the first partners: near ones, which keeps messages contiguous, or far ones, which sends most data to near ones",
      .standard = "near",
      .choices = {"near", "far"},
      .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
        return {"near", "far"};
      }};
}

Parameter passing() {
  return {.name = "passing",
          .summary = "whether p may be any number: ranks without a partner get what others pass on, in more rounds",
          .standard = "no",
          .choices = {"no", "yes"},
          .range = {},
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            return {is_power_of_two(problem.ranks) ? "no" : "yes"};
          }};
}

Program generate_recursive_doubling(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  return word(parameters, "first") == "far" ? gather_by_doubling_from_afar(problem, shares(analysis), me)
                                            : gather_by_doubling(problem, shares(analysis), me);
}

Result<> recursive_doubling_applies(const Problem& problem, const Parameters& parameters) {
  const bool passes = word(parameters, "passing") == "yes" && word(parameters, "first") == "near";
  return passes ? Result<>() : has_power_of_two_ranks(problem, parameters);
}

std::optional<Symmetry> recursive_doubling_symmetry(const Problem& problem, const Parameters&) {
  if (!is_power_of_two(problem.ranks)) return std::nullopt;
  return exclusive_or_symmetry(problem.ranks);
}

}  // namespace

Algorithm allgather_recursive_doubling(Collective collective) {
  return {
      .collective = collective,
      .id = "recursive-doubling",
      .summary = "exchange all " + share_word(collective) + "s held with i ^ 1, i ^ 2, i ^ 4, .., or in reverse order",
      .picture =
          "In each round a rank exchanges all it holds with a partner, so what it holds doubles: 1, 2, 4, 8. No algorithm has "
          "fewer rounds on one port, and no rank gets anything twice; but the last partner is the farthest one, and gets half of "
          "all data.",
      .needs = "p a power of two, unless others pass on",
      .source = "grama2003",
      .parameters = {doubling_order(), passing()},
      .says =
          [](const Problem& problem, const Parameters& parameters, Count round) {
            if (!is_power_of_two(problem.ranks)) return std::string();
            return says_swap("all " + counted_shares(problem, Count{1} << round) + " that it has",
                             word(parameters, "first") == "far" ? ceil_log2(problem.ranks) - 1 - round : round);
          },
      .generate = generate_recursive_doubling,
      .applies = recursive_doubling_applies,
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : recursive_doubling_symmetry,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille
