// SPDX-License-Identifier: BSD-3-Clause
// Which calls are run by ours. Plans are made and tried only inside calls that synchronise anyway: a program may rely on a
// broadcast that does not wait for the other ranks. Everything here is collective, at the same call on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/trial.hpp"
#include "plan/choosing.hpp"
#include "plan/gathered.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr double gains_enough = 0.9;  // ours is taken where it takes at most this share of the MPI library's time
constexpr double is_slower = 1.0;     // and left again where it takes more than this

std::optional<double> time_of(const Considered& considered) {
  if (considered.measured) return considered.measured->median_s;
  return considered.predicted_s;
}

// Of what was chosen / of the MPI library's; absent where either is not known.
std::optional<double> predicted_ratio(const Decision& decision) {
  const auto chosen = time_of(decision.considered.front());
  for (const Considered& considered : decision.considered)
    if (considered.way.algorithm == specification(Candidate(Vendor{})))
      if (const auto vendors = time_of(considered); vendors && chosen) return *chosen / *vendors;

  return std::nullopt;
}

Collective collective_of_site(const Site& site) {
  return site.key.function == Function::Alltoallv ? Collective::alltoallv : *collective_of(site.key.function);
}

// Of calls of about the same size.
Key size_class(Key key) {
  key.block_bytes = static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  key.root = 0, key.counts = 0;
  return key;
}

}  // namespace

void CommunicatorState::await_settling(Site& site) {
  if (site.is_waiting) return;
  site.is_waiting = true;
  waiting_.push_back(&site);
  if (site.mode == Site::Mode::counting) site.why = "no call that synchronises has come since";
}

void CommunicatorState::settle() {
  for (Site* const site : std::exchange(waiting_, {})) {
    site->is_waiting = false;
    settle(*site);
  }
}

void CommunicatorState::settle(Site& site) {
  if (!has_group()) return give_up(site, no_group_);
  const bool is_tuned = tune(site);
  if (site.mode == Site::Mode::vendor && !is_tuned) return postpone(site);
  try {
    if (site.mode == Site::Mode::ours)
      try_out(site);
    else
      admit(site);
  } catch (const std::exception& error) {
    give_up(site, error.what());
  }
  if (site.mode == Site::Mode::ours) postpone(site);
}

// The next epoch.
void CommunicatorState::postpone(Site& site) {
  const bool is_settled = Settings::get().admits_at_once || site.is_forced;
  site.next_event = is_settled ? Site::never : next_epoch(site.calls, site.moved);
}

// For good, unless candidates are still to race.
void CommunicatorState::give_up(Site& site, std::string why) {
  site.mode = Site::Mode::vendor;
  site.why = std::move(why);
  site.what.clear();
  site.plan.reset();
  site.next_event = Site::never;
  if (group_ && wishes_.tune_share > 0 && !site.is_tuned && !site.is_forced) postpone(site);
}

// False where it cannot be made; on all ranks alike.
bool CommunicatorState::has_group() {
  try {
    if (group_ || !no_group_.empty()) return no_group_.empty();
    group_ = over(communicator_);
    wishes_ = shared_wishes(*group_);
  } catch (const std::exception& error) {
    no_group_ = error.what();
  }
  return no_group_.empty();
}

// Races candidates inside the program's run, and leaves the choice to be made anew. False where nothing raced.
bool CommunicatorState::tune(Site& site) {
  if (wishes_.tune_share == 0 || site.is_tuned || site.is_forced || site.key.function == Function::Alltoallv) return false;
  constexpr double seconds = 0.05;
  if (site.key.block_bytes * ranks_ > Trial::most_memory) return false;
  const char may = TuneBudget::of_process().allows(seconds, wishes_.tune_share);
  if (!gathered(*group_, may)[0]) return false;
  const double start = PMPI_Wtime();
  try {
    PlanOptions options = plan_options(site);
    options.in_place = false;
    options.effort = Effort::measure;
    choose(*group_, problem_of(site, ranks_), options, seconds);
  } catch (const std::exception& error) {
    site.why = error.what();
  }
  TuneBudget::of_process().spend(PMPI_Wtime() - start);
  site.is_tuned = true;
  site.mode = Site::Mode::counting;
  site.plan.reset();
  site.ours_s.clear(), site.vendors_s.clear();
  return true;
}

void CommunicatorState::admit(Site& site) {
  const Verdict* const known = site.is_tuned ? nullptr : verdict_on(site.key);
  if (known && !known->is_faster) return give_up(site, "calls of about this size were not faster by ours");
  make(site);
  if (site.mode == Site::Mode::vendor) return;
  if (known || site.is_forced || Settings::get().admits_at_once) {
    site.mode = Site::Mode::ours;
    return;
  }
  try_out(site);
  if (!verdict_on(site.key)) verdicts_.push_back({size_class(site.key), site.mode == Site::Mode::ours});
}

const CommunicatorState::Verdict* CommunicatorState::verdict_on(const Key& key) const {
  const Key sized = size_class(key);
  for (const Verdict& verdict : verdicts_)
    if (verdict.calls == sized) return &verdict;
  return nullptr;
}

void CommunicatorState::make(Site& site) {
  const Rule* const rule = wishes_.rules.find(collective_of_site(site), site.key.block_bytes);
  site.is_forced = rule != nullptr;
  if (rule && names_vendor(rule->algorithm)) return give_up(site, "QUADRILLE_CHOOSE says so");
  if (rule && make_forced_plan(site, *rule)) return;
  site.is_forced = false;
  if (site.key.function == Function::Alltoallv)
    make_exchange(site);
  else
    make_plan(site);
}

void CommunicatorState::make_exchange(Site& site) {
  if (!exchange_) exchange_ = std::make_unique<DirectExchange>(*group_);
  outgoing_.resize(static_cast<std::size_t>(ranks_));
  incoming_.resize(static_cast<std::size_t>(ranks_));
  site.what = "direct exchange";
  site.why = "all ranks share memory";
}

PlanOptions CommunicatorState::plan_options(const Site& site) const {
  PlanOptions options;
  if (site.key.operation) options.operation = {std::shared_ptr<const void>(), site.key.operation};
  options.in_place = site.key.function == Function::Bcast;
  return options;
}

// False where the rule makes no sense for the problem; rank 0 says so, once for a rule.
bool CommunicatorState::make_forced_plan(Site& site, const Rule& rule) {
  try {
    if (site.key.function == Function::Alltoallv) throw Error(ErrorCode::misuse, "an alltoallv has no plan here; it can be vendor");
    PlanOptions options = plan_options(site);
    options.algorithm = rule.algorithm;
    set_plan(site, problem_of(site, ranks_), options, "QUADRILLE_CHOOSE says so");
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
    if (rank_ == 0 && told_.insert(rule.algorithm).second)
      remark(fmt::format("QUADRILLE_CHOOSE: {}={} is left out: {}", name(rule.collective), rule.algorithm, error.what()));
    return false;
  }
}

void CommunicatorState::set_plan(Site& site, const Problem& problem, const PlanOptions& options, std::string why) {
  site.plan.emplace(plan(*group_, problem, options));
  site.what = fmt::format("{} ({})", site.plan->algorithm(), name(site.plan->executor()));
  site.why = std::move(why);
}

void CommunicatorState::make_plan(Site& site) {
  const Problem problem = problem_of(site, ranks_);
  PlanOptions options = plan_options(site);
  Chosen chosen = choose(*group_, problem, options);
  if (Settings::get().admits_at_once) {
    if (chosen.is_vendor()) options.algorithm = "", chosen.options = options;  // the default algorithm
  } else if (chosen.is_vendor()) {
    return give_up(site, chosen.decision->reason);
  } else if (const auto ratio = predicted_ratio(*chosen.decision); ratio && *ratio > gains_enough) {
    return give_up(site, fmt::format("ours would take {:.2f} times as long by what is known of this machine", *ratio));
  }
  set_plan(site, problem, chosen.options, chosen.decision->reason);
}

// What loses goes back to the MPI library for good.
void CommunicatorState::try_out(Site& site) {
  const bool is_first = site.mode == Site::Mode::counting;
  Trial trial(site, communicator_, *group_, site.plan ? nullptr : exchange_.get());
  if (!trial.run() && is_first) return give_up(site, "too large to be tried beside the MPI library's");
  const auto ratio = median_ratio(site);
  if (ratio && *ratio > (is_first ? gains_enough : is_slower))
    return give_up(site, fmt::format("ours took {:.2f} times as long", *ratio));
  site.mode = Site::Mode::ours;
}

}  // namespace quadrille::mpi_face
