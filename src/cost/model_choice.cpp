// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/model_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quadrille {
namespace {

std::string reason_for(const Model& model, const MachineCosts& machine, const PricingFacts& facts) {
  std::string reason;
  if (model.needs_work)
    reason = facts.compares_executors ? "this model compares executors"
             : facts.has_nodes        ? "the ranks are on several nodes, and this model counts what ranks and nodes do"
                                      : fmt::format("the machine {} has figures for no simpler model that applies", machine.name);
  else if (model.needs_links)
    reason = "the network is known, and this model counts its links";
  else if (model.needs_nodes)
    reason = "the ranks are on several nodes, and this model counts their exchanges";
  else
    reason = fmt::format("it is the first model that applies and for which the machine {} has figures", machine.name);
  if (facts.has_links && (model.needs_work || model.needs_nodes))
    reason += "; it does not count the links of the network";
  else if (facts.has_nodes && !model.needs_work && !model.needs_nodes)
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
  for (const bool has_work : {facts.has_nodes || facts.compares_executors, true}) {
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

}  // namespace quadrille
