// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/pieces.hpp"

#include <algorithm>

#include "patterns/powers.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Problem of_pieces(const Problem& problem, Collective collective) {
  check_limit(problem, problem.ranks, most_listed, "shares");
  std::vector<Bytes> shares;
  shares.reserve(index(problem.ranks));
  for (Rank rank = 0; rank < problem.ranks; ++rank) shares.push_back(piece(Buffer::output, problem, rank).length);
  Problem part = problem;
  part.collective = collective;
  part.block_bytes = 0;
  part.counts = std::make_shared<const std::vector<Bytes>>(std::move(shares));
  if (!is_rooted(collective)) part.root = 0;
  return part;
}

Parameter scatter_part() {
  return {.name = "scatter",
          .summary = "the algorithm for reduce_scatterv that is the first part",
          .standard = "ring",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            if (is_power_of_two(problem.ranks)) return "recursive-halving";
            return required_combining(problem) == Combining::any_order ? "circulant" : "direct";
          },
          .standard_rule = "recursive-halving where p is a power of two, else circulant, or direct where the order matters",
          .choices = {"ring", "recursive-halving", "recursive-halving:first=near", "circulant", "direct"},
          .range = {},
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"ring", "recursive-halving", "circulant", "direct"};
          }};
}

Choice choice_of_scatter(const Problem& pieces, const Parameters& parameters) {
  return parse_choice(pieces, word(parameters, "scatter"));
}

Result<> scatter_applies(const Problem& problem, const Parameters& parameters) {
  const Problem pieces = of_pieces(problem, Collective::reduce_scatterv);
  return applies(pieces, choice_of_scatter(pieces, parameters));
}

Combining combining_of_scatter(const Problem& problem, const Parameters& parameters) {
  const Problem pieces = of_pieces(problem, Collective::reduce_scatterv);
  const Choice choice = choice_of_scatter(pieces, parameters);
  return choice.algorithm->combining(pieces, choice.parameters);
}

Parameter gather_part() {
  return {.name = "gather",
          .summary = "the algorithm for allgatherv that is the last part",
          .standard = "ring",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return is_power_of_two(problem.ranks) ? "recursive-doubling" : "circulant";
          },
          .standard_rule = "recursive-doubling where p is a power of two, else circulant",
          .choices = {"ring", "recursive-doubling", "recursive-doubling:first=far", "circulant", "concatenation", "direct"},
          .range = {},
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"ring", "recursive-doubling", "circulant", "direct"};
          }};
}

Result<> gather_applies(const Problem& problem, const Parameters& parameters) {
  const Problem pieces = of_pieces(problem, Collective::allgatherv);
  return applies(pieces, parse_choice(pieces, word(parameters, "gather")));
}

Count ports_of(const Problem& problem, const Choice& choice) {
  if (choice.algorithm->ports) return choice.algorithm->ports(problem, choice.parameters);
  return std::max<Count>(1, problem.ranks - 1);
}

}  // namespace quadrille
