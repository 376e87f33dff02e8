// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/vector_shares.hpp"

#include <algorithm>

#include "collectives/worth_trying.hpp"
#include "patterns/powers.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Result<> part_applies(const Problem& part, const std::string& specification) {
  try {
    return applies(part, parse_choice(part, specification));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
    return cannot(error.what());
  }
}

Problem problem_of_shares(const Problem& problem, Collective collective) {
  check_limit(problem, problem.ranks, most_listed, "shares");
  std::vector<Bytes> shares;
  shares.reserve(index(problem.ranks));
  for (Rank rank = 0; rank < problem.ranks; ++rank) shares.push_back(vector_share(Buffer::output, problem, rank).length);
  Problem part = problem;
  part.collective = collective;
  part.block_bytes = 0;
  part.counts = std::make_shared<const std::vector<Bytes>>(std::move(shares));
  if (!is_rooted(collective)) part.root = 0;
  return part;
}

namespace {

std::string standard_scatter(const Problem& problem) {
  if (is_power_of_two(problem.ranks)) return "recursive-halving";
  return required_combining(problem) == Combining::any_order ? "circulant" : "direct";
}

std::string standard_gather(const Problem& problem) { return is_power_of_two(problem.ranks) ? "recursive-doubling" : "circulant"; }

}  // namespace

Parameter scatter_part() {
  return {.name = "scatter",
          .summary = "algorithm for reduce_scatterv, the first part",
          .standard = "ring",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue { return standard_scatter(problem); },
          .standard_rule = "recursive-halving if p is a power of two, else circulant, or direct if the order of operands matters",
          .choices = {"ring", "recursive-halving", "recursive-halving:first=near", "circulant", "bine", "direct"},
          .form = "another algorithm",
          .is_of_the_form = may_be_specification,
          .worth_trying =
              [](const Problem& problem, const Parameters&) {
                return parts_worth_trying(problem, Collective::reduce_scatterv, &Algorithm::tried_with_shares,
                                          standard_scatter(problem));
              }};
}

Choice choice_of_scatter(const Problem& by_shares, const Parameters& parameters) {
  return parse_choice(by_shares, word(parameters, "scatter"));
}

Result<> scatter_applies(const Problem& problem, const Parameters& parameters) {
  return part_applies(problem_of_shares(problem, Collective::reduce_scatterv), word(parameters, "scatter"));
}

Combining combining_of_scatter(const Problem& problem, const Parameters& parameters) {
  const Problem by_shares = problem_of_shares(problem, Collective::reduce_scatterv);
  const Choice choice = choice_of_scatter(by_shares, parameters);
  return choice.algorithm->combining(by_shares, choice.parameters);
}

Parameter gather_part() {
  return {.name = "gather",
          .summary = "algorithm for allgatherv, the last part",
          .standard = "ring",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue { return standard_gather(problem); },
          .standard_rule = "recursive-doubling if p is a power of two, else circulant",
          .choices = {"ring", "neighbor-exchange", "recursive-doubling", "recursive-doubling:first=far", "circulant", "bine",
                      "concatenation", "direct"},
          .form = "another algorithm",
          .is_of_the_form = may_be_specification,
          .worth_trying =
              [](const Problem& problem, const Parameters&) {
                return parts_worth_trying(problem, Collective::allgatherv, &Algorithm::tried_with_shares, standard_gather(problem));
              }};
}

Result<> gather_applies(const Problem& problem, const Parameters& parameters) {
  return part_applies(problem_of_shares(problem, Collective::allgatherv), word(parameters, "gather"));
}

Count ports_of(const Problem& problem, const Choice& choice) {
  if (choice.algorithm->ports) return choice.algorithm->ports(problem, choice.parameters);
  return std::max<Count>(1, problem.ranks - 1);
}

}  // namespace quadrille
