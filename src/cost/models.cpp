// SPDX-License-Identifier: BSD-3-Clause
// The one table of models. A row is the name of the record that the model's file defines. Commands and plans take the first row
// that applies (model_choice.hpp). So models that count links or nodes come before models that ignore them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "cost/models/terms.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "quadrille/model_choice.hpp"

#define QUADRILLE_ROWS(ROW) \
  ROW(max_rate_model)       \
  ROW(torus_model)          \
  ROW(cluster_model)        \
  ROW(flat_model)           \
  ROW(free_running_model)   \
  ROW(loggp_model)          \
  ROW(linear_model)         \
  ROW(fitted_model)

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

#define QUADRILLE_DECLARE(record) extern const Model record;
QUADRILLE_ROWS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

std::span<const Model* const> all_models() {
#define QUADRILLE_ADDRESS(record) &record,
  static constexpr const Model* table[] = {QUADRILLE_ROWS(QUADRILLE_ADDRESS)};
#undef QUADRILLE_ADDRESS
  return table;
}

const Model* find_model(std::string_view id) {
  const auto models = all_models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const Model* model) { return model->id == id; });
  return found == models.end() ? nullptr : *found;
}

bool Model::knows(std::string_view key) const {
  return std::any_of(coefficients.begin(), coefficients.end(), [&](const Coefficient& each) { return each.key == key; });
}

Result<> applies(const Model& model, const Workload& workload) {
  if (model.needs_links && !workload.has_links)
    return cannot(fmt::format("the model {} counts links; name a network, such as --topology torus:4x8", model.id));
  if (model.needs_nodes && !workload.has_nodes)
    return cannot(fmt::format("the model {} counts what nodes exchange; say where ranks are, such as --node-sizes 8x4", model.id));
  if (model.needs_work && !workload.has_work)
    return cannot(
        fmt::format("the model {} counts what ranks and nodes do; say where ranks are, such as --node-sizes 8x4", model.id));
  if (model.needs_exchange && !workload.is_exchange)
    return cannot(fmt::format(
        "the model {} is of exchanges, alltoall and alltoallv, in which nobody waits for what others pass on; take --model flat",
        model.id));
  return {};
}

const Coefficients& coefficients_of(const MachineCosts& machine, const Model& model) {
  const auto coefficients = machine.models.find(model.id);
  if (coefficients != machine.models.end()) return coefficients->second;
  std::vector<std::string> known;
  for (const auto& [id, values] : machine.models) known.push_back(id);
  throw Error(ErrorCode::misuse, fmt::format("the machine {} says nothing for the model {}; it does for: {}", machine.name,
                                             model.id, fmt::join(known, ", ")));
}

Price price_of(const Workload& workload, const Model& model, const MachineCosts& machine) {
  return price_of(workload, model, coefficients_of(machine, model));
}

Price price_of(const Workload& workload, const Model& model, const Coefficients& coefficients) {
  if (const auto priced = applies(model, workload); !priced) throw Error(ErrorCode::misuse, priced.error());
  const Formula formula = model.formula_of(coefficients);
  QUADRILLE_ASSERT(std::max(model.terms.size(), model.overlapped_terms.size()) <= std::tuple_size_v<Charges>);
  Price price;
  Charges totals{};
  const auto charge = [&](const Charges& charges) {
    Picoseconds time = 0;
    for (std::size_t i = 0; i < model.terms.size(); ++i) {
      add_bytes(totals[i].amount, charges[i].amount);
      totals[i].time = add_times(totals[i].time, charges[i].time);
      time = add_times(time, charges[i].time);
    }
    QUADRILLE_ASSERT(time >= 0);
    QUADRILLE_ASSERT(time == sum_of(charges));  // each charge belongs to a term of the model
    price.blocking = add_times(price.blocking, time);
    return time;
  };
  for (const StageFigures& figures : workload.stages) {
    StagePrice& stage = price.stages.emplace_back();
    if (formula.of_stage) stage.before = charge(formula.of_stage(figures, workload));
    if (!formula.of_round) continue;
    for (const RoundFigures& round : figures.rounds) stage.rounds.push_back({round.number, charge(formula.of_round(round))});
  }
  QUADRILLE_ASSERT(price.blocking == sum_of(totals));
  for (std::size_t i = 0; i < model.terms.size(); ++i)
    if (const ModelTerm& term = model.terms[i]; workload.has_links || !term.is_on_links)
      price.terms.push_back({term.name, totals[i].amount, term.is_bytes, seconds_of(totals[i].time)});
  price.blocking_s = price.nonblocking_s = price.dataflow_s = seconds_of(price.blocking);
  if (!formula.overlapped) return price;
  const auto take = [&](const Charges& charges, std::vector<PriceTerm>& terms) {
    Picoseconds time = 0;
    for (std::size_t i = 0; i < model.overlapped_terms.size(); ++i) {
      const ModelTerm& term = model.overlapped_terms[i];
      terms.push_back({term.name, charges[i].amount, term.is_bytes, seconds_of(charges[i].time)});
      time = add_times(time, charges[i].time);
    }
    QUADRILLE_ASSERT(time >= 0 && time == sum_of(charges));
    return seconds_of(time);
  };
  const Overlapped overlapped = formula.overlapped(workload.stages);
  price.nonblocking_s = take(overlapped.nonblocking, price.nonblocking);
  price.dataflow_s = take(overlapped.dataflow, price.dataflow);
  QUADRILLE_ASSERT(price.dataflow_s <= price.nonblocking_s);
  return price;
}

double Price::seconds(Policy policy) const {
  switch (policy) {
    case Policy::blocking: return blocking_s;
    case Policy::nonblocking: return nonblocking_s;
    case Policy::dataflow: return dataflow_s;
  }
  return 0;
}

Policy Price::best_policy() const {
  Policy best = Policy::blocking;
  for (const Policy policy : {Policy::nonblocking, Policy::dataflow})
    if (seconds(policy) < seconds(best)) best = policy;
  return best;
}

const std::vector<PriceTerm>& Price::terms_of(Policy policy) const {
  if (policy == Policy::blocking || nonblocking.empty()) return terms;
  return policy == Policy::nonblocking ? nonblocking : dataflow;
}

MessageTimes message_times(const Model& model, const MachineCosts& machine) {
  return message_times(model, coefficients_of(machine, model));
}

MessageTimes message_times(const Model& model, const Coefficients& coefficients) {
  if (model.times_of_message) return model.times_of_message(coefficients);
  std::vector<std::string_view> others;
  for (const Model* each : all_models())
    if (each->times_of_message) others.push_back(each->id);
  throw Error(ErrorCode::misuse, fmt::format("the model {} prices rounds, not single messages; take {} to simulate events",
                                             model.id, alternatives(others)));
}

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
