// SPDX-License-Identifier: BSD-3-Clause
// Makes the contenders for a site's calls: the algorithm that the user has named, the way that is best according to wisdom, or the
// few ways with the lowest prices. Everything here is collective, and happens at the same call on all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "mpi_face/communicator_state.hpp"
#include "mpi_face/settings.hpp"
#include "mpi_face/trial.hpp"
#include "plan/choosing/choosing.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

std::optional<double> time_of(const Considered& considered) {
  if (considered.measured) return considered.measured->median_s;
  return considered.predicted_s;
}

bool is_vendors(const Way& way) { return names_vendor(way.algorithm); }

// Time of the chosen way / time of the MPI library's own collective; absent if either is unknown.
std::optional<double> predicted_ratio(const Decision& decision) {
  const auto chosen = time_of(decision.considered.front());
  for (const Considered& considered : decision.considered)
    if (is_vendors(considered.way))
      if (const auto vendors = time_of(considered); vendors && chosen) return *chosen / *vendors;

  return std::nullopt;
}

std::string_view algorithm_of(const Way& way) { return std::string_view(way.algorithm).substr(0, way.algorithm.find(':')); }

// Returns the ways to try: the chosen one and, if nothing was measured, some others, because predictions may be wrong. The first of
// the others is the cheapest one with policy blocking, because predictions for the other policies leave out what rounds cost if
// ranks share cores. The others follow in the order of their prices.
std::vector<Way> worth_trying(const Decision& decision) {
  const std::size_t most = decision.source == Source::wisdom ? 1 : Trial::most_plans;
  std::vector<Way> ways{decision.chosen};
  const auto add = [&](bool blocking_only) {
    for (const Considered& considered : decision.considered) {
      const bool is_new =
          std::none_of(ways.begin(), ways.end(), [&](const Way& way) { return algorithm_of(way) == algorithm_of(considered.way); });
      const bool fits = !blocking_only || considered.way.policy == Policy::blocking;
      if (ways.size() == most) return;
      if (!is_new || !fits || is_vendors(considered.way) || !time_of(considered)) continue;
      ways.push_back(considered.way);
      if (blocking_only) return;
    }
  };
  if (is_vendors(ways[0])) ways.clear();
  add(true);
  add(false);
  return ways;
}

// Is this the first call with this rule in the process?
bool is_new(const std::string& rule) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  return told.insert(rule).second;
}

}  // namespace

// Follows the user's rule for the site. Returns false if there is no rule, or if it is ignored because it does not fit the problem;
// rank 0 reports that once.
bool CommunicatorState::obey(Site& site) {
  const bool is_irregular = site.key.function == Function::Alltoallv;
  const Collective collective = is_irregular ? Collective::alltoallv : *collective_of(site.key.function);
  const ChoiceRule* const rule = wishes_.rules.find(collective, site.key.block_bytes);
  if (!rule) return false;
  try {
    if (names_vendor(rule->algorithm)) {
      site.is_forced = true;
      give_up(site, "QUADRILLE_CHOOSE says so");
      return true;
    }
    if (is_irregular) throw Error(ErrorCode::misuse, "an alltoallv runs without a plan here; only vendor can be named for it");
    PlanOptions options = plan_options(site);
    options.algorithm = rule->algorithm;
    Contender named{plan(*group_, problem_of(site, ranks_), options), {}, "QUADRILLE_CHOOSE says so"};
    take(site, named);
    site.is_forced = true;
    site.mode = Site::Mode::ours;
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
    if (rank_ == 0 && is_new(rule->algorithm))
      remark(fmt::format("QUADRILLE_CHOOSE: {}={} is ignored: {}", name(collective), rule->algorithm, error.what()));
    return false;
  }
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

// Returns no contenders if the site is left to the MPI library. `known`, if not null, says which way was the fastest in an earlier
// trial.
std::vector<CommunicatorState::Contender> CommunicatorState::make_contenders(Site& site, const TrialVerdict* known) {
  const Problem problem = problem_of(site, ranks_);
  std::vector<Contender> contenders;
  if (known && known->way) {
    contenders.push_back(contender(site, problem, *known->way, "it was the fastest in a trial of calls of about this size"));
    return contenders;
  }
  const Chosen chosen = choose(*group_, problem, plan_options(site));
  if (!Settings::get().admits_at_once) {
    const auto ratio = predicted_ratio(*chosen.decision);
    if (chosen.is_vendor())
      give_up(site, chosen.decision->reason);
    else if (ratio && *ratio > enough_gain)
      give_up(site,
              fmt::format("Quadrille would take {:.2f} times as long, according to what is known about this machine", *ratio));
    if (site.mode == Site::Mode::vendor) return contenders;
  }
  for (const Way& way : worth_trying(*chosen.decision)) {
    const bool is_first = contenders.empty();
    contenders.push_back(contender(site, problem, way, is_first ? chosen.decision->reason : "it was the fastest in a trial"));
    if (Settings::get().admits_at_once) break;
  }
  return contenders;
}

CommunicatorState::Contender CommunicatorState::contender(const Site& site, const Problem& problem, const Way& way,
                                                          std::string why) {
  PlanOptions options = plan_options(site);
  PlanOptions named = plan_options_of(problem, way);
  options.algorithm = std::move(named.algorithm);
  options.policy = named.policy, options.executor = named.executor, options.buffers = named.buffers;
  return {plan(*group_, problem, options), way, std::move(why)};
}

void CommunicatorState::take(Site& site, Contender& contender) {
  if (!site.way) ++plans_;
  site.plan.emplace(std::move(contender.plan));
  site.way = std::move(contender.way);
  site.what = fmt::format("{} ({})", site.plan->algorithm(), name(site.plan->executor()));
  site.why = std::move(contender.why);
}

}  // namespace quadrille::mpi_face
