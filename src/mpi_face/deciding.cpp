// SPDX-License-Identifier: BSD-3-Clause
// What all ranks do in a meeting: they carry out the steps that rank 0 tells them. next_step.cpp chooses these steps.
#include "mpi_face/deciding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "foundation/assert.hpp"
#include "foundation/environment.hpp"
#include "mpi_face/contenders.hpp"
#include "mpi_face/policy/account.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/ticks.hpp"
#include "mpi_face/trial.hpp"
#include "mpi_face/verdicts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr double misses_by_little = 1.25;
constexpr double is_slower = 1.0;  // a plan is abandoned if it takes more than this multiple of the MPI library's time

void check_meeting(int code) {
  if (code != MPI_SUCCESS) throw Error(ErrorCode::transport, "the MPI library's own collective failed in a meeting of the ranks");
}

// The user's wishes, once all ranks of the world know them. Only in programs without concurrent threads in MPI: there all ranks
// learn them before, or after, the same call on each communicator.
std::atomic<std::shared_ptr<const Wishes>> wishes_of_world;

bool has_threads() {
  int level = MPI_THREAD_MULTIPLE;
  return PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

}  // namespace

Deciding::Deciding(MPI_Comm communicator, Rank rank, Count ranks, Sites& sites)
    : communicator_(communicator),
      rank_(rank),
      ranks_(ranks),
      sites_(sites),
      meetings_(ranks),
      on_(communicator),
      next_as_guest_(Meetings::at_the_latest) {}

// In the first call that synchronises. The user's wishes shall count from the first call on, so the ranks meet in the first one on
// MPI_COMM_WORLD. Other communicators then know them, too.
void Deciding::begin() {
  has_synchronised_ = true;
  if (communicator_ == MPI_COMM_WORLD) return ask();
  wishes_ = wishes_of_world.load();
  for (std::size_t i = 0; wishes_ && i < sites_.size(); ++i) ask_for(sites_[i]);
}

void Deciding::ask_for(const Site& site) {
  if (wishes_ && wishes_->rules.find(name_in_rules(site), site.key.block_bytes)) ask();
}

double Deciding::weight() const {
  static const int world = [] {
    int ranks = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }();
  return static_cast<double>(std::max<Count>(world, ranks_)) / static_cast<double>(ranks_);
}

bool Deciding::is_of_one_world() {
  if (communicator_ == MPI_COMM_WORLD) return true;
  if (is_of_one_world_) return *is_of_one_world_;
  MPI_Group members = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  std::vector<int> of_members(static_cast<std::size_t>(ranks_)), of_world(of_members);
  std::iota(of_members.begin(), of_members.end(), 0);
  const bool is_known =
      PMPI_Comm_group(communicator_, &members) == MPI_SUCCESS && PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS &&
      PMPI_Group_translate_ranks(members, static_cast<int>(ranks_), of_members.data(), all, of_world.data()) == MPI_SUCCESS;
  for (MPI_Group* group : {&members, &all})
    if (*group != MPI_GROUP_NULL) PMPI_Group_free(group);
  is_of_one_world_ = is_known && std::find(of_world.begin(), of_world.end(), MPI_UNDEFINED) == of_world.end();
  if (!*is_of_one_world_) no_group_ = sentence(Cause::two_worlds);
  return *is_of_one_world_;
}

// The first step that is to be done waits for late ranks, which the call would wait for anyway. This wait is counted apart, and is
// not spent by Quadrille. Together with it the ranks find the greatest of their accounts: rank 0 knows only its own.
void Deciding::meet(CallOutcome& outcome) {
  is_asked_ = false;
  meet_on(communicator_, outcome);
}

void Deciding::meet_on(MPI_Comm ranks, CallOutcome& outcome) {
  asks_host_ = false;
  next_as_guest_ = std::bit_ceil(std::max(calls_so_far() + 1, Meetings::at_the_latest));
  if (!is_of_one_world() || !no_group_.empty()) return leave_all();
  Account& account = Account::of_process();
  std::optional<std::uint64_t> begun;
  on_ = ranks;
  gather_times();
  if (!is_guest_now()) gather_slowest();
  if (communicator_ == MPI_COMM_WORLD) {
    Guests::of_process().begin();
    worth_of_guests_ = Guests::of_process().worth_ticks();
  }
  while (true) {
    Step step = rank_ == 0 ? next_step() : Step();
    check_meeting(PMPI_Bcast(&step, sizeof step, MPI_BYTE, 0, on_));
    if (step.what == Step::What::nothing) {
      if (!is_guest_now()) meetings_.meet_at(step.next_meeting);
      break;
    }
    if (!begun) {
      double mine = account.spent_s(), most = 0;
      check_meeting(PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, on_));
      others_spent_s_ = most - mine;
      begun = ticks();
      if (step.cost_s > 0 && most + weight() * step.cost_s > step.allowance_s) break;
    }
    const double before_s = account.elapsed_s();
    carry_out(step);
    if (step.what != Step::What::tune && step.what != Step::What::host) account.spend(weight() * (account.elapsed_s() - before_s));
  }
  on_ = communicator_;
  if (begun) outcome.settling_ticks += ticks() - *begun;
}

void Deciding::be_guest() {
  if (communicator_ != MPI_COMM_WORLD && !has_threads() && is_of_one_world()) Guests::of_process().add(*this);
}

std::uint64_t Deciding::calls_so_far() const {
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < sites_.size(); ++i) calls += sites_[i].calls;
  return calls;
}

double Deciding::worth_ticks() const {
  if (!no_group_.empty() || (!asks_host_ && calls_so_far() < next_as_guest_)) return 0;
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Site& site = sites_[i];
    const bool is_open = site.mode == Site::Mode::counting && site.rule != Site::Rule::followed;
    const bool is_due = site.mode == Site::Mode::ours && site.calls >= site.next_trial;
    const bool is_tried = site.trial && site.trial->alternation.is_due();
    if (never_synchronises(site.key.function) && (is_open || is_due || is_tried)) ticks += site.vendor_times.ticks() + 1;
  }
  return asks_host_ && ticks > 0 ? asked_for : static_cast<double>(ticks);
}

// A group does not outlive the communicator of the meeting, but its exchanges do.
void Deciding::meet_as_guest(MPI_Comm ranks) {
  if (!has_synchronised_) begin();
  const bool had_group = group_ != nullptr;
  CallOutcome outcome;
  meet_on(ranks, outcome);
  if (!had_group) group_.reset();
}

// What the guests spend, they count themselves.
void Deciding::host() {
  const double spent_s = Guests::of_process().host();
  Account::of_process().spend(weight() * spent_s);
  ExpectedCosts::of_process().split.measured(spent_s, ranks_);
  worth_of_guests_ = Guests::of_process().worth_ticks();
}

void Deciding::leave_all() {
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (sites_[i].mode == Site::Mode::counting) sites_[i].leave(no_group_);
}

// Collective: adds up the times of the trials in place that are due.
void Deciding::gather_times() {
  gathered_.clear();
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Site& site = sites_[i];
    if (!site.trial || !site.trial->alternation.is_due()) continue;
    const std::vector<double>& mine = site.trial->alternation.times();
    std::vector<double> sums(mine.size());
    check_meeting(PMPI_Reduce(mine.data(), sums.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0, on_));
    if (rank_ == 0) gathered_.emplace_back(&site, std::move(sums));
  }
}

// Collective: rank 0 hears how long calls that do not synchronise took on the slowest rank.
void Deciding::gather_slowest() {
  std::vector<Site*> open;
  std::vector<double> mine;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Site& site = sites_[i];
    if (site.synchronises || is_exchanged(site.key.function) || site.mode != Site::Mode::counting) continue;
    open.push_back(&site);
    const bool is_timed = site.vendor_times.calls() > 0;
    mine.push_back(is_timed ? seconds_of(site.vendor_times.ticks_of_call()) : 0);
    mine.push_back(seconds_of(static_cast<double>(site.vendor_times.ticks())));
  }
  if (open.empty()) return;
  std::vector<double> most(mine.size());
  check_meeting(PMPI_Reduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, 0, on_));
  if (rank_ != 0) return;
  for (std::size_t i = 0; i < open.size(); ++i) open[i]->slowest_call_s = most[2 * i], open[i]->slowest_s = most[2 * i + 1];
}

void Deciding::carry_out(const Step& step) {
  switch (step.what) {
    case Step::What::nothing: return;
    case Step::What::wishes: return hear_wishes(step);
    case Step::What::time_call: return time_call();
    case Step::What::group: return make_group();
    case Step::What::host: return host();
    default: break;
  }
  Site& site = sites_[step.site];
  try {
    switch (step.what) {
      case Step::What::obey: obey(site); break;
      case Step::What::admit: admit(site); break;
      case Step::What::leave: site.leave(std::string(sentence(step.cause))); break;
      case Step::What::take: take(site, step); break;
      case Step::What::try_in_loop:
        site.mode == Site::Mode::ours ? try_again_in_loop(site, step.number) : try_in_loop(site, step.number);
        break;
      case Step::What::try_in_place: try_in_place(site, step.number); break;
      case Step::What::conclude: conclude(site, step.conclusion); break;
      case Step::What::tune: tune(site); break;
      default: break;
    }
  } catch (const std::exception& error) {
    if (rank_ == 0) remark(error.what());
    site.leave(std::string(sentence(Cause::no_plan)));
  }
}

void Deciding::hear_wishes(const Step& step) {
  std::string text = rank_ == 0 ? text_of_wishes() : std::string();
  text.resize(static_cast<std::size_t>(step.number));
  check_meeting(PMPI_Bcast(text.data(), step.number, MPI_CHAR, 0, on_));
  wishes_ = std::make_shared<const Wishes>(parse_wishes(text, rank_ == 0));
  if (communicator_ != MPI_COMM_WORLD) return;
  int mine = has_threads(), any = 1;
  check_meeting(PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, communicator_));
  if (!any) wishes_of_world.store(wishes_);
}

// The first barrier waits for late ranks. The least time of those after it counts, because other programs only lengthen it.
void Deciding::time_call() {
  check_meeting(PMPI_Barrier(communicator_));
  for (int barrier = 1; barrier < barriers_of_timing; ++barrier) {
    const double begin = PMPI_Wtime();
    check_meeting(PMPI_Barrier(communicator_));
    short_call_s_ = std::min(PMPI_Wtime() - begin, short_call_s_.value_or(1e9));
  }
}

void Deciding::make_group() {
  const double begin = PMPI_Wtime();
  try {
    group_ = over(on_);
    QUADRILLE_ASSERT(group_->rank() == rank_ && group_->size() == ranks_);
  } catch (const std::exception& error) {
    if (rank_ == 0) remark(error.what());
    no_group_ = sentence(Cause::no_group);
    leave_all();
  }
  ExpectedCosts::of_process().group.measured(PMPI_Wtime() - begin, ranks_);
}

// Follows the user's rule for the site. If the rule does not fit the site's problem, rank 0 reports that once.
void Deciding::obey(Site& site) {
  site.rule = Site::Rule::followed;
  const std::string_view calls = name_in_rules(site);
  const ChoiceRule& rule = *wishes_->rules.find(calls, site.key.block_bytes);
  try {
    if (names_vendor(rule.algorithm)) return site.leave(std::string(sentence(Cause::chosen)));
    if (is_exchanged(site.key.function))
      throw Error(ErrorCode::misuse, fmt::format("{} runs without a plan here; only vendor can be named for it", calls));
    site.take(named_contender(*group_, site, rule.algorithm));
  } catch (const Error& error) {
    if (is_of_group(error)) throw;
    if (rank_ == 0) warn_once(fmt::format("QUADRILLE_CHOOSE: {}={} is ignored: {}", calls, rule.algorithm, error.what()));
    site.rule = Site::Rule::refused;
  }
}

// Does the MPI library pair the edges of any rank in an order of its own (neighbourhood.hpp)? Other threads may use MPI_COMM_SELF
// now, so each rank gets another communicator for itself.
bool Deciding::is_otherwise_in_library(const Site& site) {
  const auto any = [&](int mine) {
    check_meeting(PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, on_));
    return mine != 0;
  };
  if (!site.neighbours || !any(site.neighbours->has_repeats())) return false;
  MPI_Comm self = MPI_COMM_NULL;
  check_meeting(PMPI_Comm_split(on_, static_cast<int>(rank_), 0, &self));
  const bool is_otherwise = site.neighbours->is_otherwise_in_library(site.key.function, self);
  check_meeting(PMPI_Comm_free(&self));
  return any(is_otherwise);
}

// Returns false if the MPI library keeps the site's calls.
bool Deciding::make_exchange(Site& site) {
  if (is_otherwise_in_library(site)) return site.leave(std::string(sentence(Cause::own_order))), false;
  if (!exchange_) exchange_ = Exchanger::of(*group_);
  return true;
}

void Deciding::admit(Site& site) {
  if (is_exchanged(site.key.function)) {
    if (make_exchange(site)) settle(site, true);
    return;
  }
  Contenders made = contenders(*group_, site, 1, /*anyhow=*/true);
  if (made.all.empty()) return site.leave(std::move(made.cause));
  site.take(std::move(made.all.front()));
  settle(site, true);
}

void Deciding::take(Site& site, const Step& step) {
  const Way way{.algorithm = step.algorithm,
                .policy = static_cast<Policy>(step.policy),
                .buffers = step.buffers,
                .executor = static_cast<Executor>(step.executor)};
  if (is_exchanged(site.key.function)) return admit(site);
  const double begin = PMPI_Wtime();
  auto made = contender(*group_, site, way, "it was the fastest in a trial of calls of about this size");
  ExpectedCosts::of_process().plan.measured(PMPI_Wtime() - begin, ranks_);
  if (!made) return site.leave(std::string(sentence(Cause::no_contender)));
  site.take(*std::move(made));
  settle(site, true);
}

// Ends a first trial, or the decision to do without one.
void Deciding::settle(Site& site, bool is_faster) {
  if (is_faster) {
    site.mode = Site::Mode::ours;
    site.next_trial =
        Settings::get().admits_at_once || site.rule == Site::Rule::followed ? Site::never : next_epoch(site.calls, site.moved);
    if (is_exchanged(site.key.function)) site.choice.what = "exchange", site.choice.why = "it needs no plan";
  }
  if (group_) Verdicts::of_process().add(site.key, group_->nodes(), {is_faster, site.choice.way});
  site.told.is_current = false;
}

// Tries the contenders, and takes the fastest one if it is faster than the MPI library by enough (enough_gain). If it narrowly
// misses that, the trial is repeated.
void Deciding::try_in_loop(Site& site, int most_batch) {
  std::vector<Contender> all;
  if (is_exchanged(site.key.function)) {
    if (!make_exchange(site)) return;
  } else {
    Contenders made = contenders(*group_, site, Trial::most_plans, /*anyhow=*/false);
    if (made.all.empty()) return site.leave(std::move(made.cause));
    all = std::move(made.all);
  }
  std::vector<Plan*> plans;
  for (Contender& one : all) plans.push_back(&one.plan);
  Trial::Times times;
  std::size_t best = 0;
  double ratio = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    if (const auto cause = Trial(site, on_, *group_, plans, plans.empty() ? exchange_.get() : nullptr, most_batch).run(times))
      return site.leave(std::string(sentence(*cause)));
    std::vector<double> ratios;
    for (std::size_t way = 0; way < times.ours_s.size(); ++way) ratios.push_back(times.of(way).ratio());
    best = static_cast<std::size_t>(std::min_element(ratios.begin(), ratios.end()) - ratios.begin());
    ratio = ratios[best];
    if (ratio <= enough_gain || ratio > misses_by_little * enough_gain) break;
  }
  site.trial_times = times.of(best);
  const bool is_faster = ratio <= enough_gain;
  if (!is_faster)
    site.leave(lost_by(ratio));
  else if (!all.empty())
    site.take(std::move(all[best]));
  settle(site, is_faster);
}

// Compares the plan in use with the MPI library's function again. A plan that loses is abandoned for good. So a trial that the plan
// loses is repeated first.
void Deciding::try_again_in_loop(Site& site, int most_batch) {
  constexpr std::size_t most_samples = 15;
  site.next_trial = next_epoch(site.calls, site.moved);
  std::vector<Plan*> plans;
  if (site.choice.plan) plans.push_back(&*site.choice.plan);
  Trial::Times times{.vendors_s = site.trial_times.vendors_s, .ours_s = {site.trial_times.ours_s}};
  double ratio = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    if (!Trial(site, on_, *group_, plans, site.choice.plan ? nullptr : exchange_.get(), most_batch).run(times)) return;
    for (std::vector<double>* const samples : {&times.ours_s[0], &times.vendors_s})
      if (samples->size() > most_samples) samples->erase(samples->begin(), samples->end() - most_samples);
    ratio = times.of(0).ratio();
    if (ratio <= is_slower) break;
  }
  site.trial_times = times.of(0);
  site.told.is_current = false;
  if (ratio <= is_slower) return;
  Verdicts::of_process().add(site.key, group_->nodes(), {});
  site.leave(lost_by(ratio));
}

void Deciding::try_in_place(Site& site, int most_contenders) {
  const bool is_again = site.mode == Site::Mode::ours;
  std::vector<Contender> all;
  if (is_exchanged(site.key.function)) {
    if (!make_exchange(site)) return;
  } else if (is_again) {
    all.push_back({*std::move(site.choice.plan), site.choice.way, site.choice.why});
    site.choice.plan.reset();
  } else {
    Contenders made = contenders(*group_, site, static_cast<std::size_t>(most_contenders), /*anyhow=*/false);
    if (made.all.empty()) return site.leave(std::move(made.cause));
    all = std::move(made.all);
  }
  site.trial.emplace(std::move(all), is_again ? is_slower : enough_gain);
  site.mode = Site::Mode::trying;
  site.choice.why = sentence(Cause::trying);
  site.told.is_current = false;
}

void Deciding::conclude(Site& site, const Alternation::Conclusion& conclusion) {
  Alternation& alternation = site.trial->alternation;
  Account::of_process().spend(weight() * alternation.excess_s());
  if (conclusion.end == Alternation::End::goes_on) return alternation.go_on(conclusion.remaining);
  const auto best = static_cast<std::size_t>(conclusion.best);
  std::vector<double> means = rank_ == 0 ? means_ : alternation.times();
  check_meeting(PMPI_Bcast(means.data(), static_cast<int>(means.size()), MPI_DOUBLE, 0, on_));
  site.trial_times = {alternation.of_way(means, conclusion.best + 1), alternation.of_way(means, Alternation::vendor)};
  const bool is_faster = conclusion.end == Alternation::End::taken;
  if (!is_faster)
    lose(site, conclusion.ratio);
  else if (is_exchanged(site.key.function))
    site.trial.reset();
  else
    site.take(std::move(site.trial->contenders[best]));
  settle(site, is_faster);
}

// Leaves the site to the MPI library, the first time perhaps only until a second trial.
void Deciding::lose(Site& site, double ratio) {
  const auto second = site.second_trial == 0 ? second_trial_after(site.calls, ratio) : std::nullopt;
  site.leave(lost_by(ratio));
  if (!second) return;
  site.second_trial = *second;
  site.mode = Site::Mode::counting;
}

// Races candidates while the program runs. Afterwards the site starts anew and can use the result.
void Deciding::tune(Site& site) {
  const double begin = PMPI_Wtime();
  site.is_tuned = true;
  site.mode = Site::Mode::counting;
  site.choice.be_vendor(std::string(sentence(Cause::rare)));
  site.trial_times = {};
  Verdicts::of_process().remove(site.key, group_->nodes());
  try {
    race_for(*group_, site, tuning_race_s);
  } catch (const Error& error) {
    if (rank_ == 0) warn_once(error.what());
  }
  Account::of_tuning().spend(PMPI_Wtime() - begin);
  site.told.is_current = false;
}

}  // namespace quadrille::mpi_face
