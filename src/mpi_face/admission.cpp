// SPDX-License-Identifier: BSD-3-Clause
// Decides which calls Quadrille runs ("ours") instead of the MPI library ("the vendor"). Making and trying plans waits for all
// ranks, and a program may rely on calls that do not wait for all ranks, such as a broadcast. So plans are made and tried only
// inside calls that synchronise all ranks anyway. Everything here is collective, and happens at the same call on all ranks, unless
// a comment says "local".
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "foundation/assert.hpp"
#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/ticks.hpp"
#include "mpi_face/trial.hpp"
#include "plan/choosing/choosing.hpp"
#include "plan/gathered.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr int most_plans = 128;  // per communicator; with more, their data would not stay in the caches
constexpr int most_trials = 3;   // of one site in one call
constexpr double misses_by_little = 1.25;
constexpr double is_slower = 1.0;  // a plan is abandoned if it takes more than this multiple of the MPI library's time

// Returns the key that calls of about the same size share: the block size is rounded up to a power of two.
Key size_class(Key key) {
  key.block_bytes = static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  key.root = 0, key.counts = 0;
  return key;
}

}  // namespace

// Puts the site on the list to be settled (planned, tried or tried again) in the next call that synchronises. Local.
void CommunicatorState::await_settling(Site& site) {
  if (site.is_waiting) return;
  site.is_waiting = true;
  site.next_event = Site::never;  // until it is settled; for alltoallv, until its next census
  waiting_.push_back(&site);
  if (site.mode == Site::Mode::counting) site.why = "Quadrille waits for a call that synchronises the ranks";
}

// Settles all waiting sites. Waits for late ranks first, so that their delay is counted apart.
void CommunicatorState::settle(CallOutcome& outcome) {
  outcome.late_ticks = wait_for_late_ranks();
  settle_after_call(outcome);
}

// The same in a call that all ranks are known to have entered: it does not wait for late ranks.
void CommunicatorState::settle_after_call(CallOutcome& outcome) {
  const std::uint64_t begin = ticks();
  for (Site* const site : std::exchange(waiting_, {})) {
    site->is_waiting = false;
    settle(*site);
  }
  outcome.settling_ticks += ticks() - begin;
}

// Returns the waiting time in ticks, or 0 if there is no group yet. Ignores errors: the trial then fails with the same error, and
// reports it.
std::uint64_t CommunicatorState::wait_for_late_ranks() {
  if (!group_) return 0;
  const std::uint64_t begin = ticks();
  try {
    group_->barrier();
  } catch (const std::exception&) {
    return 0;
  }
  return ticks() - begin;
}

void CommunicatorState::settle(Site& site) {
  if (!has_group()) return give_up(site, no_group_);
  const bool is_tuned = tune(site);
  if (site.mode == Site::Mode::vendor && !is_tuned) return postpone(site);
  try {
    if (site.mode == Site::Mode::ours)
      try_again(site);
    else
      admit(site);
  } catch (const std::exception& error) {
    give_up(site, error.what());
  }
  if (site.mode == Site::Mode::ours) postpone(site);
}

// Sets the site's next event to its next epoch, at which our algorithm is compared with the MPI library's again.
void CommunicatorState::postpone(Site& site) {
  const bool is_settled = Settings::get().admits_at_once || site.is_forced;
  site.next_event = is_settled ? Site::never : next_epoch(site.calls, site.moved);
}

// Leaves the site to the MPI library: for good, unless tuning may still find something faster.
void CommunicatorState::give_up(Site& site, std::string why) {
  site.mode = Site::Mode::vendor;
  site.why = std::move(why);
  site.what.clear();
  site.plan.reset();
  site.way.reset();
  site.next_event = Site::never;
  if (group_ && wishes_.tune_share > 0 && !site.is_tuned && !site.is_forced) postpone(site);
}

// Local: true if all ranks belong to this process's MPI_COMM_WORLD. Processes of other worlds (MPI_Comm_spawn, MPI_Comm_connect)
// may run without the drop-in and would not take part in our collective calls. All ranks get the same result: if members belong to
// two worlds, each rank finds members that are not in its own world.
bool CommunicatorState::is_of_one_world() {
  if (communicator_ == MPI_COMM_WORLD) return true;
  if (is_of_one_world_) return *is_of_one_world_;
  MPI_Group members = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  std::vector<int> of_members(static_cast<std::size_t>(ranks_)), of_world(of_members);
  std::iota(of_members.begin(), of_members.end(), 0);
  const bool is_known =
      PMPI_Comm_group(communicator_, &members) == MPI_SUCCESS && PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS &&
      PMPI_Group_translate_ranks(members, static_cast<int>(ranks_), of_members.data(), world, of_world.data()) == MPI_SUCCESS;
  for (MPI_Group* group : {&members, &world})
    if (*group != MPI_GROUP_NULL) PMPI_Group_free(group);
  is_of_one_world_ = is_known && std::find(of_world.begin(), of_world.end(), MPI_UNDEFINED) == of_world.end();
  if (!*is_of_one_world_) no_group_ = "processes of several worlds (MPI_Comm_spawn, MPI_Comm_connect) may run without the drop-in";
  return *is_of_one_world_;
}

// Makes the group if there is none yet. Returns false if it cannot be made; equal on all ranks.
bool CommunicatorState::has_group() {
  try {
    if (group_ || !no_group_.empty()) return no_group_.empty();
    if (!is_of_one_world()) return false;
    group_ = over(communicator_);
    QUADRILLE_ASSERT(group_->rank() == rank_ && group_->size() == ranks_);
    wishes_ = shared_wishes(*group_);
  } catch (const std::exception& error) {
    no_group_ = error.what();
  }
  return no_group_.empty();
}

// Races candidates while the program runs. Afterwards the site starts anew and can use the result. Returns
// false if there was no race.
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

// Decides what runs the site's calls: by the user's rule, else by an earlier trial of calls of about this size, else by a new
// trial.
void CommunicatorState::admit(Site& site) {
  if (obey(site)) return;
  const TrialVerdict* const known = site.is_tuned ? nullptr : verdict_on(site.key);
  if (known && !known->is_faster) return give_up(site, "Quadrille was not faster for calls of about this size");
  if (plans_ == most_plans && !Settings::get().admits_at_once)
    return give_up(site, fmt::format("there are already plans for {} other kinds of calls", most_plans));
  std::vector<Contender> contenders;
  if (site.key.function == Function::Alltoallv)
    make_exchange(site);
  else
    contenders = make_contenders(site, known);
  if (site.mode == Site::Mode::vendor) return;
  if (!known && !Settings::get().admits_at_once) return try_first(site, contenders);
  if (!contenders.empty()) take(site, contenders.front());
  site.mode = Site::Mode::ours;
}

// Tries the contenders, and takes the fastest one if it is faster than the MPI library by enough (enough_gain). If it narrowly
// misses that, the trial is repeated.
void CommunicatorState::try_first(Site& site, std::vector<Contender>& contenders) {
  std::vector<Plan*> plans;
  for (Contender& contender : contenders) plans.push_back(&contender.plan);
  Trial::Times times;
  std::size_t best = 0;
  double ratio = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    if (!Trial(site, communicator_, *group_, plans, plans.empty() ? exchange_.get() : nullptr).run(times))
      return give_up(site, "too large to be tried beside the MPI library's");
    std::vector<double> ratios;
    for (const std::vector<double>& ours_s : times.ours_s) ratios.push_back(median_ratio(ours_s, times.vendors_s));
    best = static_cast<std::size_t>(std::min_element(ratios.begin(), ratios.end()) - ratios.begin());
    ratio = ratios[best];
    if (ratio <= enough_gain || ratio > misses_by_little * enough_gain) break;
  }
  site.ours_s = times.ours_s[best], site.vendors_s = times.vendors_s;
  const bool is_faster = ratio <= enough_gain;
  if (is_faster && !contenders.empty()) take(site, contenders[best]);
  if (!verdict_on(site.key)) verdicts_.push_back({size_class(site.key), is_faster, site.way});
  if (!is_faster) return give_up(site, fmt::format("Quadrille took {:.2f} times as long", ratio));
  site.mode = Site::Mode::ours;
}

// Compares the plan in use with the MPI library's function again. A plan that loses is abandoned for good. So a trial that the plan
// loses is repeated first.
void CommunicatorState::try_again(Site& site) {
  constexpr std::size_t most_samples = 15;
  std::vector<Plan*> plans;
  if (site.plan) plans.push_back(&*site.plan);
  Trial::Times times{.vendors_s = site.vendors_s, .ours_s = {site.ours_s}};
  double ratio = 0;
  for (int trial = 0; trial < most_trials; ++trial) {
    if (!Trial(site, communicator_, *group_, plans, site.plan ? nullptr : exchange_.get()).run(times)) return;
    for (std::vector<double>* const samples : {&times.ours_s[0], &times.vendors_s})
      if (samples->size() > most_samples) samples->erase(samples->begin(), samples->end() - most_samples);
    ratio = median_ratio(times.ours_s[0], times.vendors_s);
    if (ratio <= is_slower) break;
  }
  site.ours_s = times.ours_s[0], site.vendors_s = times.vendors_s;
  if (ratio > is_slower) give_up(site, fmt::format("Quadrille took {:.2f} times as long", ratio));
}

const CommunicatorState::TrialVerdict* CommunicatorState::verdict_on(const Key& key) const {
  const Key sized = size_class(key);
  for (const TrialVerdict& verdict : verdicts_)
    if (verdict.calls == sized) return &verdict;
  return nullptr;
}

}  // namespace quadrille::mpi_face
