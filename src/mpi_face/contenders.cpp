// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/contenders.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "foundation/assert.hpp"
#include "mpi_face/policy/cause.hpp"
#include "plan/plan.hpp"
#include "plan/way.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "tune/choosing/choosing.hpp"

namespace quadrille::mpi_face {
namespace {

std::optional<double> time_of(const Considered& considered) {
  if (considered.measured) return considered.measured->median_s;
  return considered.predicted_s;
}

// The least time of our own ways, and the time of the MPI library's function, measured or predicted. Absent if unknown.
struct KnownTimes {
  std::optional<double> ours_s, vendors_s;
};

KnownTimes known_times(const Decision& decision) {
  KnownTimes known;
  for (const Considered& each : decision.considered) {
    const auto seconds = time_of(each);
    std::optional<double>& least = each.way.is_vendor() ? known.vendors_s : known.ours_s;
    if (seconds && (!least || *seconds < *least)) least = seconds;
  }
  return known;
}

// Why no trial is needed; empty if one is. Measured times decide. Predicted times decide only if ours is slower even after its
// predicted time is reduced by twice the predictions' median error. The error of a preset machine's figures is not known.
std::string_view decided(const Decision& decision) {
  const auto [ours_s, vendors_s] = known_times(decision);
  if (decision.source == Source::wisdom && decision.chosen.is_vendor()) return sentence(Cause::measured_faster);
  if (!ours_s || !vendors_s) return {};
  if (decision.source == Source::wisdom) return *ours_s > enough_gain * *vendors_s ? sentence(Cause::measured_faster) : "";
  if (!decision.preset.empty()) return {};
  const double least = *ours_s * (1 - std::min(2 * decision.prediction_error, 1.0));
  return least > *vendors_s ? sentence(Cause::predicted_faster) : "";
}

// Do both run the same algorithm of the table, with equal or different parameters?
bool run_the_same(const Candidate& one, const Candidate& other) {
  const auto *a = std::get_if<Choice>(&one), *b = std::get_if<Choice>(&other);
  return a && b && a->algorithm == b->algorithm;
}

// Returns the way to try: `way`, unless a preset machine's figures prefer it and there are several nodes. These figures have an
// unknown error, so parameters with about the same price count as equal: the first of them in choices_worth_trying is taken. The
// figures also have no time of a round, so all policies of an algorithm have the same price. But each round that waits for an
// earlier round takes the network's latency. So the policy is nonblocking, with which few rounds wait.
Way as_tried(const Way& way, const Decision& decision, const Problem& problem) {
  constexpr double about_the_same = 1.25;
  if (decision.preset.empty() || decision.situation.nodes == 1) return way;
  const auto price_of = [&](const Candidate& algorithm) {
    const auto found = std::find_if(decision.considered.begin(), decision.considered.end(), [&](const Considered& each) {
      return each.way.algorithm == algorithm && each.way.executor == way.executor && each.predicted_s;
    });
    return found == decision.considered.end() ? std::nullopt : found->predicted_s;
  };
  Way tried = way;
  tried.policy = Policy::nonblocking;
  const auto least_s = price_of(way.algorithm);
  if (!least_s) return tried;
  for (const Choice& choice : choices_worth_trying(problem)) {
    if (!run_the_same(choice, way.algorithm)) continue;
    const auto price_s = price_of(choice);
    if (!price_s || *price_s > about_the_same * *least_s) continue;
    tried.algorithm = choice;
    break;
  }
  return tried;
}

// Returns the ways to try: the chosen way and, if nothing was measured, some others, because predictions may be wrong. The first
// of the others is the cheapest way with policy blocking, because predictions for the other policies leave out what rounds cost
// if ranks share cores. Further ways follow in the order of their prices.
// `only_elastic`: only ways that may have elastic plans, if there are any.
std::vector<Way> worth_trying(const Decision& decision, const Problem& problem, std::size_t most, bool only_elastic) {
  if (decision.source == Source::wisdom) most = 1;
  const auto is_elastic = [](const Way& way) {
    const auto* const choice = std::get_if<Choice>(&way.algorithm);
    return choice && is_homogeneous(*choice);
  };
  only_elastic = only_elastic && std::any_of(decision.considered.begin(), decision.considered.end(),
                                             [&](const Considered& each) { return is_elastic(each.way) && time_of(each); });
  std::vector<Way> ways;
  if (!decision.chosen.is_vendor() && (!only_elastic || is_elastic(decision.chosen)))
    ways.push_back(as_tried(decision.chosen, decision, problem));
  const auto add = [&](bool blocking_only) {
    for (const Considered& considered : decision.considered) {
      const bool is_new = std::none_of(ways.begin(), ways.end(),
                                       [&](const Way& way) { return run_the_same(way.algorithm, considered.way.algorithm); });
      const bool fits =
          (!blocking_only || considered.way.policy == Policy::blocking) && (!only_elastic || is_elastic(considered.way));
      if (ways.size() >= most) return;
      if (!is_new || !fits || considered.way.is_vendor() || !time_of(considered)) continue;
      ways.push_back(as_tried(considered.way, decision, problem));
      if (blocking_only) return;
    }
  };
  add(true);
  add(false);
  return ways;
}

PlanOptions options_of(const Site& site) {
  PlanOptions options;
  if (site.operation) options.operation = {std::shared_ptr<const void>(), site.operation};
  options.in_place = site.key.function == Function::Bcast;
  return options;
}

}  // namespace

std::string told_ways(const std::vector<Way>& ways, const Decision& decision) {
  static constexpr std::size_t most = ' ' - 1;  // no sentence begins with such a byte
  std::string bytes(1, '\0'), reason;
  for (const Way& way : ways) {
    const auto one = packed(way);
    if (!one || static_cast<std::size_t>(bytes[0]) == most) continue;
    if (bytes[0] == 0 && way == decision.chosen) reason = decision.reason;
    ++bytes[0];
    bytes.append(reinterpret_cast<const char*>(&*one), sizeof *one);
  }
  return bytes[0] == 0 ? std::string(sentence(Cause::no_contender)) : bytes + reason;
}

std::vector<PlannedWay> ways_told(std::string_view told) {
  std::vector<PlannedWay> ways;
  if (told.empty() || told[0] >= ' ') return ways;
  const auto count = static_cast<std::size_t>(told[0]);
  QUADRILLE_ASSERT(count > 0);
  QUADRILLE_ASSERT(told.size() > count * sizeof(PackedWay));
  for (std::size_t i = 0; i < count; ++i) {
    PackedWay way;
    std::memcpy(&way, told.data() + 1 + i * sizeof way, sizeof way);
    ways.push_back({unpacked(way).value(), "it was the fastest in a trial"});
  }
  if (const std::string_view reason = told.substr(1 + count * sizeof(PackedWay)); !reason.empty()) ways.front().why = reason;
  return ways;
}

Problem problem_of(const Site& site, Communicator& group) {
  Problem problem{.collective = *collective_of(site.key.function), .ranks = group.size(), .root = site.key.root};
  if (is_irregular(problem.collective))
    problem.counts = std::make_shared<const std::vector<Bytes>>(site.shares);
  else
    problem.block_bytes = site.key.block_bytes;
  if (site.operation) {
    problem.element_bytes = site.operation->element_bytes;
    // Sums of floating-point numbers must be equal on all ranks and independent of the algorithm.
    problem.reproducible = !facts_of(site.trial_arguments.type).element.is_exact;
  }
  return checked_for(group, problem);
}

std::optional<Plan> plan_by(Communicator& group, const Site& site, const Way& way, bool is_elastic) {
  try {
    const Problem problem = problem_of(site, group);
    const auto* const choice = std::get_if<Choice>(&way.algorithm);
    if (choice && choice->algorithm->collective != problem.collective) return std::nullopt;  // from an edited file of findings
    Way here = way;  // its parameters may be those of another size
    here.algorithm = completed(problem, std::move(here.algorithm));
    PlanOptions options = plan_options_of(here, options_of(site));
    if (is_elastic) options.capacity = capacity_of(site.key);
    return plan(group, problem, options);
  } catch (const Error& error) {
    // Ranks may fail for different reasons, but all of them fail.
    if (is_of_group(error)) throw;
    return std::nullopt;
  }
}

Plan named_plan(Communicator& group, const Site& site, const std::string& algorithm) {
  PlanOptions options = options_of(site);
  options.algorithm = algorithm;
  const std::vector<Count>& nodes = group.nodes();
  if (std::any_of(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes.front(); }))
    options.policy = Policy::nonblocking;
  return plan(group, problem_of(site, group), options);
}

Contenders contenders(Communicator& group, const Site& site, std::size_t most, bool anyhow, int mates) {
  const double begin = PMPI_Wtime();
  const Problem problem = problem_of(site, group);
  const std::string told = told_decision(group, problem, options_of(site), [&](const Decision& decision) {
    const std::string_view cause = anyhow ? "" : decided(decision);
    return cause.empty() ? told_ways(worth_trying(decision, problem, most, mates >= many_mates), decision) : std::string(cause);
  });
  const double chosen = PMPI_Wtime();
  std::vector<PlannedWay> ways = ways_told(told);
  Contenders made{.plans = {}, .ways = {}, .cause = ways.empty() ? told : "", .choice_s = chosen - begin};
  if (!made.cause.empty()) return made;
  for (PlannedWay& each : ways) {
    if (auto one = plan_by(group, site, *each.way, mates > 0)) {
      each.is_elastic = quadrille::capacity_of(*one) > 0;
      made.plans.push_back(*std::move(one));
      made.ways.push_back(std::move(each));
    }
    if (anyhow && !made.plans.empty()) break;
  }
  if (made.plans.empty())
    made.cause = sentence(Cause::no_contender);
  else
    made.plan_s = (PMPI_Wtime() - chosen) / static_cast<double>(made.plans.size());
  return made;
}

void race_for(Communicator& group, const Site& site, double seconds) {
  PlanOptions options = options_of(site);
  options.in_place = false;
  options.effort = Effort::measure;
  told_decision(
      group, problem_of(site, group), options, [](const Decision&) { return std::string(); }, seconds);
}

}  // namespace quadrille::mpi_face
