// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 tells the ranks of its communicator to do next. Everything here is local to rank 0, and reads its own clock and
// account.
#include <algorithm>
#include <cstring>
#include <string>

#include "foundation/median.hpp"
#include "foundation/mpi_launchers.hpp"
#include "mpi_face/deciding.hpp"
#include "mpi_face/policy/account.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/ticks.hpp"
#include "mpi_face/trial.hpp"
#include "mpi_face/verdicts.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int most_plans = 128;         // per communicator; with more, their data would not stay in the caches
constexpr double long_call_s = 0.5e-3;  // calls that take so long are tried in place
constexpr int most_in_place = 2;        // contenders
// Making a group, choosing what to try, and making a plan have steps in which all ranks wait for each other. They take as long as
// about so many short calls. The first choice takes longer, about as long as making the group or half as long again, because
// rank 0 first finds out what it needs about the machine.
constexpr double calls_of_group = 35, calls_of_choice = 6, calls_of_plan = 8, groups_of_first_choice = 1.5;
constexpr double most_of_expected = 1.3;  // what groups and plans cost at most, as a multiple of what is expected
// A trial that has begun goes on although nothing is left to spend, if that costs at most this share of what was spent.
constexpr double little_more = 0.1;
constexpr std::uint64_t enough_timed_calls = 3;
// What a barrier takes at most, for each rank. Calls of the program may take longer because ranks are late.
constexpr double barrier_of_rank_s = 125e-6;

double call_s_of(const Site& site) { return std::max(seconds_of(site.vendor_times.ticks_of_call()), site.slowest_call_s); }

double all_s_of(const Site& site) { return std::max(seconds_of(static_cast<double>(site.vendor_times.ticks())), site.slowest_s); }

Step step_for(Step::What what, const Site& site) {
  Step step{.what = what, .site = site.number};
  return step;
}

}  // namespace

// What may still be spent now on this communicator, by rank 0's clock and the greatest account of all ranks.
double Deciding::left_s() const {
  const Account& account = Account::of_process();
  return (Account::allowance(account.elapsed_s()) - account.spent_s() - others_spent_s_) / weight();
}

Step Deciding::next_step() {
  wanted_ratio_ = 0;
  short_s_ = short_call_now_s();
  for (const auto look : {&Deciding::told_wishes, &Deciding::concluded, &Deciding::demanded, &Deciding::tuned, &Deciding::timed,
                          &Deciding::worthwhile, &Deciding::hosted})
    if (auto step = (this->*look)()) {
      step->allowance_s = Account::allowance(Account::of_process().elapsed_s());
      return *step;
    }
  Step nothing;
  if (wanted_ratio_ > 0) nothing.next_meeting = meetings_.wanted(wanted_ratio_);
  return nothing;
}

std::optional<Step> Deciding::told_wishes() {
  if (wishes_) return std::nullopt;
  const std::string text = text_of_wishes();
  if (text.empty()) return std::nullopt;
  return Step{.what = Step::What::wishes, .number = static_cast<std::int32_t>(text.size())};
}

// A trial that goes on waits until the account allows what its next part will cost. If that is little, it does not wait, because
// its plans are paid for.
std::optional<Step> Deciding::concluded() {
  while (!gathered_.empty()) {
    const auto [site, sums] = std::move(gathered_.back());
    gathered_.pop_back();
    const Alternation& alternation = site->trial->alternation;
    Step step = step_for(Step::What::conclude, *site);
    step.conclusion = alternation.concluded(sums);
    means_ = sums;
    for (double& mean : means_) mean /= static_cast<double>(ranks_);
    if (step.conclusion.end != Alternation::End::goes_on) return step;
    const double excess_s = alternation.expected_excess(sums, step.conclusion.remaining) / static_cast<double>(ranks_);
    const double spent_s = Account::of_process().spent_s() + others_spent_s_;
    if (weight() * excess_s <= little_more * spent_s || if_affordable(step, excess_s)) return step;
  }
  return std::nullopt;
}

// What the user or a test has asked for. It is done whatever it costs.
std::optional<Step> Deciding::demanded() {
  const bool at_once = Settings::get().admits_at_once;
  if (!no_group_.empty() || (!at_once && !wishes_)) return std::nullopt;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = sites_[i];
    if (!is_open_here(site) || site.rule == Site::Rule::followed || site.mode != Site::Mode::counting) continue;
    const bool may_have_rule = wishes_ && site.rule != Site::Rule::refused;
    const ChoiceRule* const rule = may_have_rule ? wishes_->rules.find(name_in_rules(site), site.key.block_bytes) : nullptr;
    if (!rule && !(at_once && site.calls >= 1)) continue;  // the call in which the ranks meet is not counted yet
    if (!group_ && !(rule && names_vendor(rule->algorithm))) return Step{.what = Step::What::group};
    return step_for(rule ? Step::What::obey : Step::What::admit, site);
  }
  return std::nullopt;
}

std::optional<Step> Deciding::tuned() {
  if (!no_group_.empty() || is_guest_now() || !wishes_ || wishes_->tune_share == 0) return std::nullopt;
  const Account& account = Account::of_tuning();
  if (account.spent_s() + tuning_race_s > wishes_->tune_share * account.elapsed_s()) return std::nullopt;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = sites_[i];
    if (site.is_tuned || site.rule == Site::Rule::followed || is_exchanged(site.key.function) || site.mode == Site::Mode::trying)
      continue;
    if (site.calls < Meetings::first || site.key.block_bytes * ranks_ > Trial::most_memory) continue;
    return group_ ? step_for(Step::What::tune, site) : Step{.what = Step::What::group};
  }
  return std::nullopt;
}

// What a short call that waits for all ranks takes on this communicator, as far as it is known; 0 if it is not. Reads all sites, so
// next_step calls it once.
double Deciding::short_call_now_s() const {
  double least = short_call_s_.value_or(1e9);
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (const Site& site = sites_[i]; site.synchronises && site.vendor_times.calls() >= enough_timed_calls)
      least = std::min(least, seconds_of(site.vendor_times.ticks_of_call()));
  return least < 1e9 ? least : 0;
}

double Deciding::group_s() const {
  return group_ ? 0 : std::max(ExpectedCosts::of_process().group.of(ranks_), calls_of_group * short_s_);
}

double Deciding::plans_s(int plans) const {
  const ExpectedCosts& costs = ExpectedCosts::of_process();
  const double first_s = costs.choice.is_known() ? 0 : groups_of_first_choice * costs.group.of(ranks_);
  return std::max({costs.choice.of(ranks_), calls_of_choice * short_s_, first_s}) + plans * plan_s();
}

double Deciding::plan_s() const { return std::max(ExpectedCosts::of_process().plan.of(ranks_), calls_of_plan * short_s_); }

// The costs of groups and plans are estimated by the program's shortest calls. If these are long, perhaps because ranks are late, a
// short call is timed first, because groups and plans are made by short calls.
std::optional<Step> Deciding::timed() {
  if (group_ || !no_group_.empty() || short_call_s_ || Settings::get().admits_at_once || short_s_ < long_call_s)
    return std::nullopt;
  const double cost_s = barriers_of_timing * std::min(short_s_, barrier_of_rank_s * static_cast<double>(ranks_));
  return if_affordable({.what = Step::What::time_call, .cost_s = cost_s}, cost_s);
}

// If the step costs more than may be spent now, nothing is done until the account has grown enough.
std::optional<Step> Deciding::if_affordable(const Step& step, double cost_s) {
  const double most_s = most_of_expected * cost_s;
  if (most_s <= left_s()) return step;
  const Account& account = Account::of_process();
  wanted_ratio_ = (account.spent_s() + others_spent_s_ + weight() * most_s) / Account::share / account.elapsed_s();
  return std::nullopt;
}

// Says why the site's calls are not tried now. Rank 0's words are in the report.
void Deciding::put_off(Site& site, Cause cause, double trial_s) const {
  if (site.mode != Site::Mode::counting || site.second_trial != 0) return;
  site.choice.why = sentence(cause);
  site.trial_put_off_s = trial_s;
  site.told.is_current = false;
}

// The step that may save most for what it costs. Where no trial was held, a step is worth its cost only if the site's calls have
// taken as long so far.
std::optional<Step> Deciding::worthwhile() {
  if (!no_group_.empty() || Settings::get().admits_at_once) return std::nullopt;
  std::optional<Step> best;
  std::vector<std::pair<Site*, double>> dear;
  double most = 0, cost = 0;
  int plans = 0;
  for (std::size_t i = 0; i < sites_.size(); ++i) plans += sites_[i].mode == Site::Mode::ours ? 1 : 0;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Site& site = sites_[i];
    const auto step = work_on(site, plans);
    if (!step) continue;
    if (step->cost_s == 0) return step;
    if (site.mode == Site::Mode::counting && step->cost_s > all_s_of(site)) {
      put_off(site, Cause::not_worth, step->cost_s);
      continue;
    }
    dear.emplace_back(&site, step->cost_s + group_s());
    const double gain = all_s_of(site) / step->cost_s;
    if (best && gain <= most) continue;
    best = step, most = gain, cost = step->cost_s;
  }
  if (!best) return std::nullopt;
  if (!group_) {
    best = Step{.what = Step::What::group, .cost_s = group_s()};
    cost += group_s();
  }
  const auto step = if_affordable(*best, cost);
  for (const auto& [site, trial_s] : dear)
    if (!step) put_off(*site, Cause::too_dear, trial_s);
  return step;
}

// Meetings of guests are worth their cost only if their calls have taken as long so far.
std::optional<Step> Deciding::hosted() {
  if (worth_of_guests_ == 0) return std::nullopt;
  Step step{.what = Step::What::host};
  if (worth_of_guests_ >= asked_for) return step;
  step.cost_s = ExpectedCosts::of_process().split.of(ranks_);
  return step.cost_s <= seconds_of(worth_of_guests_) ? if_affordable(step, step.cost_s) : std::nullopt;
}

std::optional<Step> Deciding::work_on(const Site& site, int plans) const {
  if (!is_open_here(site)) return std::nullopt;
  if (site.mode == Site::Mode::ours && site.calls >= site.next_trial) {
    if (site.trial_times.ours_s.empty() && site.vendor_times.calls() == 0) return std::nullopt;
    return trial_of(site, site.trial_times.ours_s.empty() ? call_s_of(site) : median_of(site.trial_times.ours_s));
  }
  if (site.mode != Site::Mode::counting || site.rule == Site::Rule::followed || site.vendor_times.calls() < enough_timed_calls ||
      site.calls < site.second_trial)
    return std::nullopt;
  const auto leaves = [&](Cause cause) {
    Step step = step_for(Step::What::leave, site);
    step.cause = cause;
    return step;
  };
  if (is_exchanged(site.key.function) && !has_root(site.key.function) && site.trial_arguments.call == 0) return std::nullopt;
  if (plans >= most_plans) return leaves(Cause::many_plans);
  const bool may_have_verdict = group_ && site.second_trial == 0;
  if (const auto verdict = may_have_verdict ? Verdicts::of_process().find(site.key, group_->nodes()) : std::nullopt) {
    if (!verdict->is_faster) return leaves(Cause::slower_for_class);
    Step step = step_for(Step::What::take, site);
    step.cost_s = plan_s();
    if (verdict->way) {
      const Way& way = *verdict->way;
      step.policy = static_cast<std::int32_t>(way.policy), step.executor = static_cast<std::int32_t>(way.executor);
      step.buffers = way.buffers;
      if (way.algorithm.size() >= sizeof step.algorithm) return std::nullopt;
      std::memcpy(step.algorithm, way.algorithm.data(), way.algorithm.size());
    }
    return step;
  }
  return trial_of(site, call_s_of(site));
}

// `call_s`: the time of a call without late ranks. Ours may take twice as long.
Step Deciding::trial_of(const Site& site, double call_s) const {
  const bool is_again = site.mode == Site::Mode::ours, by_exchange = is_exchanged(site.key.function);
  const auto made_s = [&](int contenders) {
    if (is_again || (by_exchange && exchange_)) return 0.0;
    return by_exchange ? plan_s() : plans_s(contenders);
  };
  const auto is_too_dear = [&](double cost_s) { return group_s() + cost_s > left_s(); };
  // A trial of fewer contenders or calls costs less, and may then be allowed earlier.
  if (call_s >= long_call_s) {
    Step step = step_for(Step::What::try_in_place, site);
    step.number = is_again || by_exchange ? 1 : most_in_place;
    const auto cost_s = [&] { return made_s(step.number) + step.number * Alternation::calls_of_first_part * call_s; };
    while (step.number > 1 && is_too_dear(cost_s())) --step.number;
    step.cost_s = cost_s();
    return step;
  }
  Step step = step_for(Step::What::try_in_loop, site);
  const int ways = 1 + (is_again || by_exchange ? 1 : static_cast<int>(Trial::most_plans));
  step.number = batch_of_trial(site.moved);
  const auto cost_s = [&] { return made_s(ways - 1) + most_trials * repetitions_of_trial * ways * 1.5 * call_s * step.number; };
  while (step.number > 4 && is_too_dear(cost_s())) step.number /= 2;
  step.cost_s = cost_s();
  return step;
}

}  // namespace quadrille::mpi_face
