// SPDX-License-Identifier: BSD-3-Clause
#include "projection/machine_prices.hpp"

#include <algorithm>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/exit_delays.hpp"
#include "tune/choosing/pricing_time.hpp"

namespace quadrille::projection {
namespace {

constexpr Count most_messages = Count{1} << 22;  // of the simulations for the delays of one schedule

// Figures of a message for the simulation by events. Only their proportions matter, because delays are scaled to the price.
MessageTimes message_times_of(const MachineCosts& machine) {
  for (const char* const id : {"loggp", "linear", "flat"})
    if (const Model* const model = find_model(id); machine.models.contains(id)) return message_times(*model, machine);
  const auto own = machine.models.find("max-rate");
  if (own == machine.models.end())
    throw Error(ErrorCode::misuse, "the machine " + machine.name + " has figures neither for max-rate nor for single messages");
  const double startup_us = own->second.at("startup_us");
  return message_times(*find_model("loggp"), Coefficients{{"latency_us", startup_us / 2},
                                                          {"overhead_us", startup_us / 4},
                                                          {"gap_us", startup_us / 4},
                                                          {"gap_us_per_byte", own->second.at("us_per_byte")},
                                                          {"ports", 1}});
}

}  // namespace

void SchedulePrice::scale(double factor) {
  seconds *= factor;
  for (double& each : halved) each *= factor;
  for (double& each : doubled) each *= factor;
}

MachinePrices::MachinePrices(const MachineCosts& machine)
    : knowledge_{.wisdom = {}, .file = {}, .preset = machine}, messages_(message_times_of(machine)) {
  for (const auto& [id, rules] : machine.assumed) {
    const Model* const model = find_model(id);
    for (const auto& [key, rule] : rules) {
      const auto row = std::find_if(model->coefficients.begin(), model->coefficients.end(),
                                    [&](const Coefficient& each) { return each.key == key; });
      if (row != model->coefficients.end() && !row->is_whole) assumed_.push_back({model, key});
    }
  }
}

DecisionOptions MachinePrices::options_for(const Problem& problem) const {
  DecisionOptions options = knowledge_.options_for(problem);
  options.own_counts_only = problem.collective == Collective::alltoallv;  // a program's rank knows no others
  return options;
}

ModelChoice MachinePrices::model_for(const Problem& problem) const {
  auto model = model_of_preset(problem, options_for(problem));
  if (!model) throw Error(ErrorCode::misuse, model.error());
  return *std::move(model);
}

Decision MachinePrices::decide(const Problem& problem) const {
  model_for(problem);
  return quadrille::decide(problem, knowledge_.wisdom, options_for(problem));
}

SchedulePrice MachinePrices::price(const Problem& problem, const Choice& choice) const {
  if (takes_too_long(problem, choice, true))
    throw Error(ErrorCode::too_large, "it states no symmetry, so pricing it would take too long");
  const Model& model = *model_for(problem).model;
  const Schedule schedule = make_schedule(problem, choice);
  const Workload counted = model.needs_work ? workload(schedule, {.work = true}) : workload_for(model, schedule);
  Coefficients figures = coefficients_of(*knowledge_.preset, model);
  const Price whole = price_of(counted, model, figures);
  SchedulePrice price{.policy = whole.best_policy()};
  price.seconds = whole.seconds(price.policy);
  for (const AssumedFigure& figure : assumed_) {
    const auto with = [&](double factor) {
      const auto entry = figures.find(figure.key);
      if (figure.model != &model || entry == figures.end()) return price.seconds;
      const double own = std::exchange(entry->second, entry->second * factor);
      const double seconds = price_of(counted, model, figures).seconds(price.policy);
      entry->second = own;
      return seconds;
    };
    price.halved.push_back(with(0.5));
    price.doubled.push_back(with(2));
  }
  return price;
}

MemberTimes MachinePrices::times(const Problem& problem, const Choice& choice, const SchedulePrice& price) const {
  const ExitDelays delays =
      exit_delays(make_schedule(problem, choice), messages_, {.policy = price.policy, .most_messages = most_messages});
  if (!(delays.together() > 0)) return MemberTimes(price.seconds);
  return MemberTimes(delays.scaled(price.seconds / delays.together()));
}

}  // namespace quadrille::projection
