// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/conclusions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "collectives/table.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::papers {
namespace {

DecisionOptions decision_options(const PaperSetting& setting) {
  return {.executors = {Executor::mpi}, .preset = setting.machine, .topology = setting.topology, .explain = true};
}

// Returns the remark that counts the plans of all rows.
std::string plans_text(const Sheet& sheet) {
  std::map<std::pair<std::string, std::string>, double> plans;  // by setting and choice
  for (const auto& row : sheet.rows)
    plans[{std::get<std::string>(row[2]), std::get<std::string>(row[4])}] = std::get<double>(row.back());
  std::size_t faster = 0, slower = 0;
  for (const auto& [setting, ratio] : plans) (ratio > tied ? slower : faster) += ratio > tied || ratio * tied < 1 ? 1 : 0;
  return fmt::format(
      "Of {} plans {} take as long as the authors' choice, within 3 % on both sides; {} take less time, and {} more.", plans.size(),
      plans.size() - faster - slower, faster, slower);
}

}  // namespace

Reproduction conclusions_of(std::vector<std::string> remarks) {
  remarks.emplace_back(
      "A plan chooses among all algorithms of the table except baselines. It fails if it takes over 3 % longer than the authors' "
      "choice. It does not fail if it takes less time: authors compare with the algorithms that they name.");
  remarks.emplace_back("No plan was compared.");
  return {.sheets = {{.columns = {"sentence", "place", "setting", "model", "the authors' choice", "than",
                                  "time of the first over that of the second", "a plan takes",
                                  "time of the plan over that of the authors' choice"}}},
          .remarks = std::move(remarks)};
}

Planner::Planner(PaperSetting setting, std::vector<OpenCase> others) : setting_(std::move(setting)), others_(std::move(others)) {
  const auto model = model_of_preset(setting_.problem, decision_options(setting_));
  if (!model) throw Error(ErrorCode::misuse, model.error());
  model_ = *model;
}

double Planner::seconds(const std::string& specification, Policy policy) const {
  const auto [entry, is_new] = workloads_.try_emplace(specification);
  if (is_new)
    entry->second = workload_for(*model_.model, make_schedule(setting_.problem, specification),
                                 setting_.topology ? &*setting_.topology : nullptr);
  return price_of(entry->second, *model_.model, setting_.machine).seconds(policy);
}

const Planner::Taken& Planner::takes(Policy policy) { return ways(policy).taken; }
const Planner::Taken& Planner::fastest(Policy policy) { return ways(policy).fastest; }

const Planner::Ways& Planner::ways(Policy policy) {
  if (const auto known = ways_.find(policy); known != ways_.end()) return known->second;
  const Decision decision = decide(setting_.problem, {}, decision_options(setting_));
  std::optional<Ways> found;
  for (const Considered& each : decision.considered) {
    const Choice& choice = std::get<Choice>(each.way.algorithm);
    if (each.way.policy != policy || !each.predicted_s || is_baseline(*choice.algorithm)) continue;
    const Taken taken{short_name(setting_.problem, choice), *each.predicted_s};
    if (!found) found = {taken, taken};
    if (taken.seconds < found->fastest.seconds) found->fastest = taken;
  }
  if (!found) throw Error(ErrorCode::misuse, fmt::format("no algorithm has a price on the machine {}", setting_.machine.name));
  return ways_[policy] = *found;
}

void Planner::add_sentence(Reproduction& made, const PaperConclusion& said, const std::string& where, Cell& over) {
  const bool all = said.than == fastest_of_all;
  const auto ratio_of = [&](const auto& seconds, Policy policy) {
    return seconds(said.better, policy) /
           (all ? ways(said.policy).fastest.seconds : seconds(said.than, said.than_policy.value_or(policy)));
  };
  const auto here = [this](const std::string& specification, Policy policy) { return seconds(specification, policy); };
  const double ratio = ratio_of(here, said.policy);
  over = ratio;
  Comparison& comparison =
      made.at_most(fmt::format("{}: time of {} over that of {} (\"{}\")", where, said.better,
                               all ? fmt::format("the fastest of all, {}", fastest(said.policy).name) : said.than, said.words),
                   all ? tied * said.at_most : said.at_most, ratio, said.place);
  comparison.reason = said.reason;
  std::vector<Policy> policies{said.policy};
  policies.insert(policies.end(), said.further_policies.begin(), said.further_policies.end());
  if (others_.empty() && policies.size() == 1) return;
  std::map<std::string, std::pair<int, int>> cases;  // by text: in how many of how many cases the sentence holds
  OpenRange range{ratio, ratio};
  const auto look = [&](const std::string& text, const auto& seconds, Policy policy) {
    const double value = ratio_of(seconds, policy);
    range.add(value);
    auto& [holding, of] = cases[fmt::format("{}, {}", text, name(policy))];
    holding += value <= comparison.paper ? 1 : 0, ++of;
  };
  for (const Policy policy : policies) {
    look(setting_.text, here, policy);
    for (const OpenCase& other : others_) look(other.text, other.seconds, policy);
  }
  comparison.open = range;
  int holding = 0, of_all = 0;
  std::vector<std::string> texts;
  for (const auto& [text, counts] : cases) {
    holding += counts.first, of_all += counts.second;
    if (counts.first > 0)
      texts.push_back(counts.second > 1 ? fmt::format("{} ({} of {} draws)", text, counts.first, counts.second) : text);
  }
  if (holding > 0 && holding < of_all)
    comparison.reason += fmt::format("{}it holds in {} of {} cases of what the paper leaves open: {}",
                                     said.reason.empty() ? "" : "; ", holding, of_all, fmt::join(texts, "; "));
}

void Planner::add(Reproduction& made, const PaperConclusion& said) {
  const Taken& plan = takes(said.policy);
  const double of_plan = plan.seconds / seconds(said.better, said.policy);
  const std::string where =
      said.policy == Policy::blocking ? setting_.text : fmt::format("{}, {}", setting_.text, name(said.policy));
  auto& rows = made.sheets.front().rows;
  const bool is_new = std::none_of(rows.begin(), rows.end(), [&](const auto& row) {
    return std::get<std::string>(row[2]) == where && std::get<std::string>(row[4]) == said.better;
  });
  Cell over{};
  if (!said.than.empty()) add_sentence(made, said, where, over);
  rows.push_back({said.words, said.place, where, std::string(model_.model->id), said.better, said.than, over, plan.name, of_plan});
  made.remarks.back() = plans_text(made.sheets.front());
  if (is_new)
    made.at_most(
            fmt::format("{}: time of what a plan takes, {}, over that of the authors' choice, {}", where, plan.name, said.better),
            tied, of_plan, said.place)
        .because("the plan passes over a choice that its own model prices lower")
        .reading();
}

}  // namespace quadrille::papers
