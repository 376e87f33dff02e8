// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/families.hpp"

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "tune/explain/price_parts.hpp"

namespace quadrille {
namespace {

class FamilyPricing {
 public:
  FamilyPricing(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge)
      : problem_(problem), decision_(decision), knowledge_(knowledge) {}

  ExplainedFamily explained(const Family& family) const {
    ExplainedFamily told{.name = family.name()};
    try {
      if (const auto schedule = family.schedule(problem_))
        take_best(told, *schedule);
      else
        told.reason = schedule.error();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      told.reason = error.what();
    }
    return told;
  }

 private:
  void take_best(ExplainedFamily& told, const Schedule& schedule) const {
    std::optional<Workload> counted;
    for (const Executor executor : knowledge_.options_for(problem_).executors) {
      const auto price = price_by_executor(schedule, executor, counted);
      if (!price) continue;
      const Policy policy = price->best_policy();
      const double seconds = price->seconds(policy);
      if (told.predicted_s && *told.predicted_s <= seconds) continue;
      told.executor = executor;
      told.policy = policy;
      told.predicted_s = seconds;
      told.parts = parts_of(*price, policy);
    }
    if (!told.predicted_s) told.reason = "no times are known by which it could be priced";
    for (const Considered& each : decision_.considered)
      if (told.predicted_s && each.way == decision_.chosen && each.predicted_s && *each.predicted_s > 0)
        told.ratio = *told.predicted_s / *each.predicted_s;
  }

  // The price by the model of the decision, so that it can be compared.
  std::optional<Price> price_by_executor(const Schedule& schedule, Executor executor, std::optional<Workload>& counted) const {
    const Model* const model = decision_.model.model;
    if (!model) return std::nullopt;
    if (model->needs_work) {
      const auto fit = knowledge_.fit(executor, decision_.situation);
      if (!fit) return std::nullopt;
      if (!counted) counted = workload(schedule, {.work = true});
      return price_by(*fit, *counted);
    }
    if (!knowledge_.preset) return std::nullopt;
    const Topology* const topology = knowledge_.topology ? &*knowledge_.topology : nullptr;
    return price_of(workload_for(*model, schedule, topology), *model, *knowledge_.preset);
  }

  const Problem& problem_;
  const Decision& decision_;
  const MachineKnowledge& knowledge_;
};

}  // namespace

std::vector<ExplainedFamily> explained_families(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge,
                                                const std::vector<Family>& families) {
  std::vector<ExplainedFamily> list;
  for (const Family& family : families) list.push_back(FamilyPricing(problem, decision, knowledge).explained(family));
  return list;
}

}  // namespace quadrille
