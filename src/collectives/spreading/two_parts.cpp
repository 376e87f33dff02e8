// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/two_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "collectives/worth_trying.hpp"
#include "patterns/integers.hpp"
#include "problem/limits.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

struct Names {
  std::string_view first, second;  // the names of the two parameters
};

Names names_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce: return {"reduce", "broadcast"};
    case Collective::allgather:
    case Collective::allgatherv: return {"gather", "broadcast"};
    default: return {"reduce", "scatter"};
  }
}

std::vector<std::string> choices_of(std::string_view part) {
  if (part == "reduce") return {"binomial", "linear", "tree:segments=1"};
  return {"binomial", "linear"};
}

Parameter part_parameter(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .standard = "binomial",
          .choices = choices_of(name),
          .form = "another algorithm",
          .is_of_the_form = [](std::string_view text) { return !text.empty(); },
          .range = {}};
}

Choice choice_of(const Problem& part, const Parameters& parameters, std::string_view name) {
  return parse_choice(part, word(parameters, std::string(name)));
}

Program generate_rooted_parts(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  Program first = parts.first.program(me);
  BufferPosition place{Buffer::output, 0};
  if (names_of(problem.collective).second == "scatter" && me == 0) {  // the output has no room for the whole vector
    place = {Buffer::scratch, first.scratch_bytes};
    first.scratch_bytes += parts.first.problem.block_bytes;
  }
  return joined({.program = std::move(first), .output = place}, {.program = parts.second.program(me), .input = place});
}

std::shared_ptr<const Analysis> analyse_rooted_parts(const Problem& problem, const Parameters& parameters) {
  const RootedParts parts = rooted_parts(problem);
  const Names names = names_of(problem.collective);
  return std::make_shared<TwoParts>(make_schedule(parts.first, choice_of(parts.first, parameters, names.first)),
                                    make_schedule(parts.second, choice_of(parts.second, parameters, names.second)));
}

Result<> rooted_parts_applies(const Problem& problem, const Parameters& parameters) {
  const RootedParts parts = rooted_parts(problem);
  const Names names = names_of(problem.collective);
  if (auto first = part_applies(parts.first, word(parameters, std::string(names.first))); !first) return first;
  return part_applies(parts.second, word(parameters, std::string(names.second)));
}

Count rooted_parts_ports(const Problem& problem, const Parameters& parameters) {
  const RootedParts parts = rooted_parts(problem);
  const Names names = names_of(problem.collective);
  return std::max(ports_of(parts.first, choice_of(parts.first, parameters, names.first)),
                  ports_of(parts.second, choice_of(parts.second, parameters, names.second)));
}

Combining rooted_parts_combining(const Problem& problem, const Parameters& parameters) {
  const Problem first = rooted_parts(problem).first;
  const Choice choice = choice_of(first, parameters, names_of(problem.collective).first);
  return choice.algorithm->combining(first, choice.parameters);
}

}  // namespace

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

std::shared_ptr<const Analysis> parts_by_shares(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm) {
  return std::make_shared<TwoParts>(make_schedule(problem_of_shares(problem, first), first_algorithm),
                                    make_schedule(problem_of_shares(problem, second), second_algorithm));
}

Program joined_at_the_share(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const BufferPosition place{Buffer::output, vector_share(Buffer::output, problem, me).offset};
  return joined({.program = parts.first.program(me), .output = place}, {.program = parts.second.program(me), .input = place});
}

RootedParts rooted_parts(const Problem& problem) {
  const auto part = [&](Collective collective, Bytes bytes) {
    Problem made = problem;
    made.collective = collective;
    made.block_bytes = bytes;
    if (!is_irregular(collective)) made.counts.reset();
    return made;
  };
  const Bytes share = problem.block_bytes;
  const Bytes all =
      problem.counts ? std::accumulate(problem.counts->begin(), problem.counts->end(), Bytes{0}) : problem.ranks * share;
  switch (problem.collective) {
    case Collective::allreduce: return {part(Collective::reduce, share), part(Collective::broadcast, share)};
    case Collective::allgather: return {part(Collective::gather, share), part(Collective::broadcast, all)};
    case Collective::allgatherv: return {part(Collective::gatherv, 0), part(Collective::broadcast, all)};
    case Collective::reduce_scatter: return {part(Collective::reduce, all), part(Collective::scatter, share)};
    default: return {part(Collective::reduce, all), part(Collective::scatterv, 0)};
  }
}

Algorithm rooted_record(Collective collective, std::string_view id, std::string summary, std::string_view picture,
                        std::string_view source) {
  const Names names = names_of(collective);
  Algorithm record{
      .collective = collective,
      .id = id,
      .summary = std::move(summary),
      .picture = picture,
      .needs = "what the parts need",
      .source = source,
      .parameters = {part_parameter(names.first, "algorithm of the first part, to rank 0"),
                     part_parameter(names.second, "algorithm of the second part, from rank 0")},
      .generate = generate_rooted_parts,
      .applies = rooted_parts_applies,
      .analyse = analyse_rooted_parts,
      .ports = rooted_parts_ports,
  };
  if (is_reduction(collective)) {
    record.combining = rooted_parts_combining;
    record.combining_rule = "as the reduction";
  }
  return record;
}

std::string rooted_specification(const Problem& problem, std::string_view id, std::string first, std::string second) {
  const Names names = names_of(problem.collective);
  return fmt::format("{}:{}={},{}={}", id, names.first, value_in_specification(std::move(first)), names.second,
                     value_in_specification(std::move(second)));
}

}  // namespace quadrille
