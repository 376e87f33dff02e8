// SPDX-License-Identifier: BSD-3-Clause
// Which calls are run by ours. Plans are made and tried only inside calls that synchronise anyway: a program may rely on a
// broadcast that does not wait for the other ranks. Everything here is collective, at the same call on all ranks.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/trial.hpp"
#include "plan/choosing.hpp"
#include "quadrille/decision.hpp"
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
  if (site.mode == Site::Mode::vendor) return;
  if (site.mode == Site::Mode::counting && !make(site)) return;
  site.next_event = Settings::get().admits_at_once ? Site::never : std::bit_ceil(site.calls + 1);
  if (Settings::get().admits_at_once)
    site.mode = Site::Mode::ours;
  else
    try_out(site);
}

void CommunicatorState::give_up(Site& site, std::string why) {
  site.mode = Site::Mode::vendor;
  site.why = std::move(why);
  site.what.clear();
  site.next_event = Site::never;
  site.plan.reset();
}

// False where the site stays the MPI library's. What fails, fails on all ranks.
bool CommunicatorState::make(Site& site) {
  const bool is_irregular = site.key.function == Function::Alltoallv;
  const bool had_group = with_group(site, [&](Communicator& group) {
    if (!is_irregular) return make_plan(site);
    if (!exchange_) exchange_ = std::make_unique<DirectExchange>(group);
    outgoing_.resize(static_cast<std::size_t>(ranks_));
    incoming_.resize(static_cast<std::size_t>(ranks_));
    site.what = "direct exchange";
    site.why = "all ranks share memory";
  });
  return had_group && site.mode != Site::Mode::vendor;
}

bool CommunicatorState::with_group(Site& site, const std::function<void(Communicator&)>& make) {
  try {
    if (no_group_.empty() && !group_) group_ = over(communicator_);
  } catch (const std::exception& error) {
    no_group_ = error.what();
  }
  if (!no_group_.empty()) {
    give_up(site, no_group_);
    return false;
  }
  try {
    make(*group_);
    return true;
  } catch (const std::exception& error) {
    give_up(site, error.what());
    return false;
  }
}

void CommunicatorState::make_plan(Site& site) {
  const Problem problem = problem_of(site, ranks_);
  PlanOptions options;
  if (site.key.operation) options.operation = {std::shared_ptr<const void>(), site.key.operation};
  options.in_place = problem.collective == Collective::broadcast;
  Chosen chosen = choose(*group_, problem, options);
  if (Settings::get().admits_at_once) {
    if (chosen.is_vendor()) options.algorithm = "", chosen.options = options;  // the default algorithm
  } else if (chosen.is_vendor()) {
    return give_up(site, chosen.decision->reason);
  } else if (const auto ratio = predicted_ratio(*chosen.decision); ratio && *ratio > gains_enough) {
    return give_up(site, fmt::format("ours would take {:.2f} times as long by what is known of this machine", *ratio));
  }
  site.plan.emplace(plan(*group_, problem, chosen.options));
  site.what = fmt::format("{} ({})", site.plan->algorithm(), name(site.plan->executor()));
  site.why = chosen.decision->reason;
}

// What loses goes back to the MPI library for good.
void CommunicatorState::try_out(Site& site) {
  const bool is_first = site.mode == Site::Mode::counting;
  try {
    Trial trial(site, communicator_, *group_, site.plan ? nullptr : exchange_.get());
    if (!trial.run() && is_first) return give_up(site, "too large to be tried beside the MPI library's");
  } catch (const std::exception& error) {
    return give_up(site, error.what());
  }
  const auto ratio = median_ratio(site);
  if (ratio && *ratio > (is_first ? gains_enough : is_slower))
    return give_up(site, fmt::format("ours took {:.2f} times as long", *ratio));
  site.mode = Site::Mode::ours;
}

}  // namespace quadrille::mpi_face
