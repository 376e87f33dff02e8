// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/record.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/shares.hpp"
#include "collectives/worth_trying.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

// What leaders exchange by default: short vectors in the fewest rounds, long ones with the least volume.
std::string standard_between(const Problem& problem, const Parameters& before) {
  const bool reorders = required_combining(problem) == Combining::any_order;
  const bool is_cut = before.contains("lanes") && !(before.contains("vector") && word(before, "vector") == "whole");
  const bool is_long = problem.block_bytes / (is_cut ? number(before, "lanes") : 1) >= nominal_startup_bytes;
  switch (problem.collective) {
    case Collective::broadcast: return is_long ? "circulant" : "binomial";
    case Collective::reduce: return !is_long ? "binomial" : reorders ? "circulant" : "reduce-scatter-gather:scatter=direct";
    case Collective::allreduce:
      if (is_long) return reorders ? "circulant" : "reduce-scatter-allgather:scatter=direct";
      return problem.reproducible ? "direct" : "recursive-doubling";
    case Collective::allgather:
    case Collective::allgatherv: return "circulant";
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: return reorders ? "circulant" : "direct";
    case Collective::scan:
    case Collective::exscan: return problem.reproducible ? "direct" : "distance-doubling";
    case Collective::barrier: return "dissemination";
    default: return "binomial";
  }
}

// The words that help and errors name. Any other algorithm of the collective can be named, too.
std::vector<std::string> choices_between(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce: return {"binomial", "circulant"};
    case Collective::allreduce: return {"recursive-doubling", "circulant", "direct"};
    case Collective::scan:
    case Collective::exscan: return {"distance-doubling", "direct"};
    case Collective::barrier: return {"dissemination"};
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: return {"circulant", "ring", "direct"};
    default: return {"binomial", "linear"};
  }
}

std::vector<ParameterValue> between_worth_trying(const Problem& problem, const Parameters& before) {
  return parts_worth_trying(problem, problem.collective, &Algorithm::tried_between_nodes, standard_between(problem, before));
}

constexpr const char* in_few_rounds = "binomial+distance-doubling+recursive-doubling+circulant";

Parameter inside_parameter() {
  return {.name = "within",
          .summary = "algorithms inside nodes: each part takes the first that its collective has and that applies, or its default",
          .standard = "direct",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            constexpr Count few = 8;  // ranks of a node for which p - 1 messages at once take less time than rounds
            return largest_node(problem) <= few ? "direct" : in_few_rounds;
          },
          .standard_rule = "direct, or the other if a node has more than 8 ranks",
          .choices = {"direct", in_few_rounds},
          .form = "other algorithms of the parts, with + between them",
          .is_of_the_form = may_be_specification};
}

Parameter between_parameter(Collective collective) {
  return {.name = "between",
          .summary = "algorithm of each lane between nodes",
          .standard = choices_between(collective).front(),
          .standard_for = [](const Problem& problem, const Parameters& before) -> ParameterValue {
            return standard_between(problem, before);
          },
          .standard_rule = "by size and operator",
          .choices = choices_between(collective),
          .form = "another algorithm",
          .is_of_the_form = may_be_specification,
          .worth_trying = between_worth_trying};
}

// In an allgather or a reduce_scatter of long data, one lane leaves the link idle between its messages, and its leaders copy or
// combine everything alone.
std::vector<ParameterValue> lanes_worth_trying(const Problem& problem, const Parameters&) {
  constexpr Bytes long_part = 1024;
  const Count most = most_lanes(problem);
  if (most == 1) return {Count{1}};
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (every_rank_has_all(facts.input) || every_rank_has_all(facts.output)) {
    Bytes all = problem.block_bytes * problem.ranks;
    if (problem.counts) all = std::accumulate(problem.counts->begin(), problem.counts->end(), Bytes{0});
    if (all / most >= long_part) return {most};
  }
  return {Count{1}, most};
}

Parameter lanes_parameter() {
  return {.name = "lanes",
          .summary = "leaders of each node, which exchange equal parts of the data with other nodes at the same time",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue { return most_lanes(problem); },
          .standard_rule = "as many as possible",
          .least = 1,
          .most = most_lanes,
          .range = "1..ranks of the smallest node",
          .worth_trying = lanes_worth_trying};
}

Parameter vector_parameter() {
  return {
      .name = "vector",
      .summary = "what a lane combines: its part of the vector, or the whole; then every rank leads, and nothing is left to gather",
      .standard = "part",
      .choices = {"part", "whole"},
      .worth_trying = [](const Problem& problem, const Parameters& before) -> std::vector<ParameterValue> {
        if (number(before, "lanes") < largest_node(problem)) return {"part"};
        return {"part", "whole"};
      }};
}

Parameter one_segment_by_default() {
  Parameter segments = segments_parameter([](const Problem&, const Parameters&) -> ParameterValue { return Count{1}; }, "1");
  segments.summary = "parts into which the vector is cut; while one is between nodes, others are inside them";
  segments.worth_trying = nullptr;
  return segments;
}

bool has_segments(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::reduce || collective == Collective::allreduce;
}

}  // namespace

std::vector<Parameter> parameters_of_hierarchy(Collective collective) {
  std::vector<Parameter> all;
  if (!facts_of(collective).is_prefix) all.push_back(lanes_parameter());
  if (collective == Collective::allreduce) all.push_back(vector_parameter());
  all.push_back(between_parameter(collective));
  all.push_back(inside_parameter());
  if (has_segments(collective)) all.push_back(one_segment_by_default());
  return all;
}

}  // namespace quadrille
