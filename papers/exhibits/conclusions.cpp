// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/conclusions.hpp"

#include <fmt/format.h>

#include "collectives/table.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"

namespace quadrille::papers {
namespace {

constexpr double tied = 1.03;  // as plans count times as tied (tie_tolerance in decision.hpp)

DecisionOptions decision_options(const PaperSetting& setting) {
  return {.executors = {Executor::mpi}, .preset = setting.machine, .topology = setting.topology, .explain = true};
}

}  // namespace

Reproduction conclusions_of(std::vector<std::string> remarks) {
  remarks.emplace_back(
      "A plan chooses among all algorithms of the table except baselines, by the least time of the model. A choice "
      "within 3 % of it counts as tied.");
  return {.sheets = {{.columns = {"sentence", "place", "setting", "model", "better, say the authors", "than",
                                  "time of the first over that of the second", "a plan takes",
                                  "time of the authors' choice over that of the plan's"}}},
          .remarks = std::move(remarks)};
}

Planner::Planner(PaperSetting setting) : setting_(std::move(setting)) {
  const auto model = model_of_preset(setting_.problem, decision_options(setting_));
  if (!model) throw Error(ErrorCode::misuse, model.error());
  model_ = *model;
}

double Planner::seconds(const std::string& specification, Policy policy) const {
  const Schedule schedule = make_schedule(setting_.problem, specification);
  const Topology* const topology = setting_.topology ? &*setting_.topology : nullptr;
  return price_of(workload_for(*model_.model, schedule, topology), *model_.model, setting_.machine).seconds(policy);
}

const Planner::Taken& Planner::takes(Policy policy) {
  const auto known = taken_.find(policy);
  if (known != taken_.end()) return known->second;
  const Decision decision = decide(setting_.problem, {}, decision_options(setting_));
  for (const Considered& each : decision.considered) {
    const Choice& choice = std::get<Choice>(each.way.algorithm);
    if (each.way.policy == policy && each.predicted_s && !is_baseline(*choice.algorithm))
      return taken_[policy] = {short_name(setting_.problem, choice), *each.predicted_s};
  }
  throw Error(ErrorCode::misuse, fmt::format("no algorithm has a price on the machine {}", setting_.machine.name));
}

void Planner::add(Reproduction& made, const PaperConclusion& conclusion) {
  const Taken& taken = takes(conclusion.policy);
  const double better = seconds(conclusion.better, conclusion.policy);
  const std::string than = conclusion.than.empty() ? taken.name : conclusion.than;
  const double over = better / (conclusion.than.empty() ? taken.seconds : seconds(conclusion.than, conclusion.policy));
  made.sheets.front().rows.push_back({conclusion.words, conclusion.place, setting_.text, std::string(model_.model->id),
                                      conclusion.better, conclusion.than.empty() ? "all others" : conclusion.than, over, taken.name,
                                      better / taken.seconds});
  made.at_most(fmt::format("{}: time of {} over that of {}{} (\"{}\")", setting_.text, conclusion.better,
                           conclusion.than.empty() ? "what a plan takes, " : "", than, conclusion.words),
               conclusion.than.empty() ? tied : conclusion.at_most, over, conclusion.place)
      .reason = conclusion.reason;
}

}  // namespace quadrille::papers
