// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/price_parts.hpp"

#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Coefficients of what ranks of a node share, in the model max-rate. 0 means that they do not share it.
constexpr const char* shared_rates[] = {"node_us_per_byte", "node_gap_us", "memory_us_per_byte", "cores"};

ExecutorFit uncontended(ExecutorFit fit) {
  for (const char* key : shared_rates)
    if (const auto found = fit.coefficients.find(key); found != fit.coefficients.end()) found->second = 0;
  return fit;
}

// Returns the greatest number of bytes that the ranks of one node together send to other nodes. It does not depend on the
// algorithm. 0 if it is not known.
Bytes leaving_a_node(const Problem& problem, const Situation& situation) {
  if (problem.collective != Collective::alltoall || situation.nodes == 1) return 0;
  std::vector<Count> sizes;
  for (const Count node : problem.nodes) {
    sizes.resize(std::max(sizes.size(), index(node) + 1));
    ++sizes[index(node)];
  }
  Bytes most = 0;
  for (const Count ranks : sizes) most = std::max(most, ranks * (problem.ranks - ranks) * problem.block_bytes);
  return most;
}

// Returns a rank's least possible work: one message per round. All messages have the same length, except for the remainder of the
// division. Each goes to a rank of the same node (`inside`) or of another one.
Workload least_work(Count rounds, Bytes bytes, bool inside) {
  StageFigures stage;
  for (Count round = 0; round < rounds; ++round) {
    const Bytes share = bytes / rounds + (round < bytes % rounds ? 1 : 0);
    RoundFigures figures{.number = round, .messages = 1, .bytes = share, .longest = share};
    if (inside) {
      figures.taken_messages = figures.node_inside_messages = 1;
      figures.taken_bytes = figures.with_copied = figures.with_combined = figures.node_inside_bytes = share;
    } else {
      figures.outside_messages = 1;
      figures.outside_bytes = share;
    }
    stage.rounds.push_back(figures);
  }
  return {.stages = {std::move(stage)}, .has_work = true};
}

}  // namespace

PriceParts parts_of(const Problem& problem, const Way& way, const ExecutorFit& fit) {
  const Workload counted = workload(make_schedule(problem, way.algorithm), {.work = true});
  const Price alone = price_by(uncontended(fit), counted);
  PriceParts parts;
  for (const StageFigures& stage : counted.stages)
    parts.rounds += std::count_if(stage.rounds.begin(), stage.rounds.end(), [](const RoundFigures& r) { return r.messages > 0; });
  for (const PriceTerm& term : alone.terms_of(way.policy)) {
    const bool is_copy = term.name == "copied bytes" || term.name == "combined bytes";
    (is_copy ? parts.copies_s : term.is_bytes ? parts.bytes_s : parts.startups_s) += term.seconds;
    if (is_copy) parts.copied += term.amount;
    if (term.is_bytes && !is_copy) parts.bytes += term.amount;
    if (term.name == "start-ups" || term.name == "inside start-ups") parts.startups += term.amount;
  }
  parts.contention_s = std::max(0.0, price_by(fit, counted).seconds(way.policy) - alone.seconds(way.policy));
  return parts;
}

PriceParts parts_of(const Price& price, Policy policy) {
  static constexpr std::string_view copies[] = {"composed bytes", "copied bytes", "rearranged bytes", "combined bytes"};
  PriceParts parts;
  for (const StagePrice& stage : price.stages) parts.rounds += static_cast<Count>(stage.rounds.size());
  for (const PriceTerm& term : price.terms_of(policy)) {
    if (!term.is_bytes) {
      parts.startups_s += term.seconds;
      if (term.name != "operations") parts.startups += term.amount;
    } else if (std::find(std::begin(copies), std::end(copies), term.name) != std::end(copies)) {
      parts.copies_s += term.seconds;
      parts.copied += term.amount;
    } else if (term.name == "more link bytes") {
      parts.contention_s += term.seconds;
    } else {
      parts.bytes_s += term.seconds;
      parts.bytes += term.amount;
    }
  }
  return parts;
}

LowerBound bound_of(const Problem& problem, const Situation& situation, const std::optional<ExecutorFit>& fit) {
  LowerBound bound;
  for (const Bound& each : lower_bounds(problem, 1)) {
    if (each.figure == "c1") bound.rounds = each.value, bound.of_rounds = each.source;
    if (each.figure == "c2") bound.bytes = each.value, bound.of_bytes = each.source;
  }
  if (!fit || bound.rounds == 0) return bound;
  const auto seconds = [&](bool inside) {
    return price_by(uncontended(*fit), least_work(bound.rounds, bound.bytes, inside)).blocking_s;
  };
  const double of_rank = situation.nodes == 1           ? seconds(true)
                         : situation.ranks_of_node == 1 ? seconds(false)
                                                        : std::min(seconds(true), seconds(false));
  const double of_node = 1e-6 * fit->coefficients.at("node_us_per_byte") * static_cast<double>(leaving_a_node(problem, situation));
  bound.seconds = std::max(of_rank, of_node);
  return bound;
}

}  // namespace quadrille
