// SPDX-License-Identifier: BSD-3-Clause
// The one table of models. A row is the name of the record that the model's file defines. Commands and plans take the first row
// that applies (model_choice.hpp). So models that count links or nodes come before models that ignore them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "foundation/alternatives.hpp"
#include "quadrille/error.hpp"
#include "quadrille/message_times.hpp"
#include "quadrille/model.hpp"

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
    return cannot(fmt::format("the model {} counts what nodes exchange; say where ranks are, such as --node-sizes 4x8", model.id));
  if (model.needs_work && !workload.has_work)
    return cannot(
        fmt::format("the model {} counts what ranks and nodes do; say where ranks are, such as --node-sizes 4x8", model.id));
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

namespace {

// Returns stages in which all ranks keep step: ranks that forward what they receive, as in a chain, wait for each other's rounds.
// Only in exchanges, alltoall and alltoallv, does no rank wait for others within a stage.
std::vector<StageFigures> in_step(std::vector<StageFigures> stages) {
  for (StageFigures& stage : stages) stage.messages = stage.startups, stage.load = stage.chain = stage.volume;
  return stages;
}

}  // namespace

Price price_of(const Workload& workload, const Model& model, const MachineCosts& machine) {
  return price_of(workload, model, coefficients_of(machine, model));
}

Price price_of(const Workload& workload, const Model& model, const Coefficients& coefficients) {
  if (const auto priced = applies(model, workload); !priced) throw Error(ErrorCode::misuse, priced.error());
  const Formula formula = model.formula_of(coefficients);
  Price price;
  Charges totals{};
  const auto charge = [&](const Charges& charges) {
    Picoseconds time = 0;
    for (std::size_t i = 0; i < model.terms.size(); ++i) {
      add_bytes(totals[i].amount, charges[i].amount);
      totals[i].time = add_times(totals[i].time, charges[i].time);
      time = add_times(time, charges[i].time);
    }
    price.blocking = add_times(price.blocking, time);
    return time;
  };
  for (const StageFigures& figures : workload.stages) {
    StagePrice& stage = price.stages.emplace_back();
    if (formula.of_stage) stage.before = charge(formula.of_stage(figures, workload));
    if (!formula.of_round) continue;
    for (const RoundFigures& round : figures.rounds) stage.rounds.push_back({round.number, charge(formula.of_round(round))});
  }
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
    return seconds_of(time);
  };
  const Overlapped overlapped = formula.overlapped(workload.is_exchange ? workload.stages : in_step(workload.stages));
  price.nonblocking_s = take(overlapped.nonblocking, price.nonblocking);
  price.dataflow_s = take(overlapped.dataflow, price.dataflow);
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

}  // namespace quadrille
