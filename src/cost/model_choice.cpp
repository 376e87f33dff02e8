// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/model_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace quadrille {
namespace {

// Returns the number of ranks of each node that the problem names.
std::map<Count, Count> ranks_of_nodes(const Problem& problem) {
  std::map<Count, Count> ranks;
  for (const Count node : problem.nodes) ++ranks[node];
  return ranks;
}

std::string reason_for(const Model& model, const MachineCosts& machine, const PricingFacts& facts) {
  std::string reason;
  if (model.needs_work)
    reason = facts.has_nodes ? "the ranks are on several nodes, and this model counts what ranks and nodes do"
                             : "this model counts what the ranks of a node share, and tells executors apart";
  else if (model.needs_links)
    reason = "the network is known, and this model counts its links";
  else if (model.needs_nodes)
    reason = "the ranks are on several nodes, and this model counts their exchanges";
  else
    reason = fmt::format("it is the first model that applies and for which the machine {} has figures", machine.name);
  if (facts.has_links && counts_nodes(model))
    reason += "; it does not count the links of the network";
  else if (facts.has_nodes && !counts_nodes(model))
    reason += "; it does not count what nodes share";
  return reason;
}

}  // namespace

PricingFacts pricing_facts(const Problem& problem, const Topology* topology) {
  const auto& nodes = problem.nodes;
  return {.has_links = topology != nullptr,
          .has_nodes = std::any_of(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes.front(); }),
          .is_exchange = is_exchange(problem.collective)};
}

Result<ModelChoice> choose_model(const MachineCosts& machine, const PricingFacts& facts,
                                 const std::function<Result<>(const Model&)>& suits) {
  Workload known{.has_links = facts.has_links, .has_nodes = facts.has_nodes, .is_exchange = facts.is_exchange};
  std::string need;
  for (const bool has_work : {facts.has_nodes || !facts.has_links, true}) {
    known.has_work = has_work;
    for (const Model* model : all_models()) {
      if (!machine.models.contains(model->id)) continue;
      const Result<> suited = suits ? suits(*model) : Result<>(), applied = suited ? applies(*model, known) : suited;
      if (applied) return ModelChoice{model, reason_for(*model, machine, facts)};
      if (need.empty()) need = applied.error();
    }
  }
  return cannot(fmt::format("the machine {} has no figures for a model that applies: {}", machine.name, need));
}

bool counts_nodes(const Model& model) { return model.needs_nodes || model.needs_work; }

Count nodes_in(const Model& model, const Problem& problem) {
  if (!counts_nodes(model)) return problem.ranks;
  return std::max<Count>(1, static_cast<Count>(ranks_of_nodes(problem).size()));
}

std::string place_text(const Model& model, const Problem& problem) {
  const Count nodes = nodes_in(model, problem);
  if (nodes == 1) return "one node";
  std::set<Count> sizes;
  for (const auto& [node, ranks] : ranks_of_nodes(problem)) sizes.insert(counts_nodes(model) ? ranks : 1);
  if (sizes.empty() || *sizes.rbegin() == 1) return fmt::format("{} nodes, one rank each", nodes);
  if (sizes.size() == 1) return fmt::format("{} nodes, {} ranks each", nodes, *sizes.begin());
  return fmt::format("{} nodes, {} {} {} ranks each", nodes, *sizes.begin(), sizes.size() == 2 ? "or" : "to", *sizes.rbegin());
}

}  // namespace quadrille
