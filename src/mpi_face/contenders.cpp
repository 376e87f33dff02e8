// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "foundation/assert.hpp"
#include "foundation/text/parsing.hpp"
#include "mpi_face/policy/cause.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "tune/choosing/choosing.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr char line_end = '\n', field_end = '\t';

std::optional<double> time_of(const Considered& considered) {
  if (considered.measured) return considered.measured->median_s;
  return considered.predicted_s;
}

bool is_vendors(const Way& way) { return names_vendor(way.algorithm); }

// The least time of our own ways, measured or predicted, and the MPI library's. Absent if unknown.
struct KnownTimes {
  std::optional<double> ours_s, vendors_s;
};

KnownTimes known_times(const Decision& decision) {
  KnownTimes known;
  for (const Considered& each : decision.considered) {
    const auto seconds = time_of(each);
    std::optional<double>& least = is_vendors(each.way) ? known.vendors_s : known.ours_s;
    if (seconds && (!least || *seconds < *least)) least = seconds;
  }
  return known;
}

// Why no trial is needed; empty if one is. Measured times decide. Predicted times decide only if ours would be slower even if it
// were predicted too long by twice the predictions' median error. The error of a preset machine's figures is not known.
std::string_view decided(const Decision& decision) {
  const auto [ours_s, vendors_s] = known_times(decision);
  if (decision.source == Source::wisdom && is_vendors(decision.chosen)) return sentence(Cause::measured_faster);
  if (!ours_s || !vendors_s) return {};
  if (decision.source == Source::wisdom) return *ours_s > enough_gain * *vendors_s ? sentence(Cause::measured_faster) : "";
  if (!decision.preset.empty()) return {};
  const double least = *ours_s * (1 - std::min(2 * decision.prediction_error, 1.0));
  return least > *vendors_s ? sentence(Cause::predicted_faster) : "";
}

std::string_view algorithm_of(const Way& way) { return std::string_view(way.algorithm).substr(0, way.algorithm.find(':')); }

// The way to try in place of one that a preset machine's figures prefer between nodes. These figures have an unknown error, so they
// do not tell apart values of parameters with about the same price; the first one that is worth trying is taken. They also have no
// time of a round, so that all policies of an algorithm have one price; but each round that waits for the one before it takes the
// network's latency, and with policy nonblocking few rounds do.
Way as_tried(const Way& way, const Decision& decision, const Problem& problem) {
  constexpr double about_the_same = 1.25;
  if (decision.preset.empty() || decision.situation.nodes == 1) return way;
  const auto price_of = [&](const std::string& algorithm) {
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
    const std::string text = specification(choice);
    if (algorithm_of({.algorithm = text}) != algorithm_of(way)) continue;
    const auto price_s = price_of(text);
    if (!price_s || *price_s > about_the_same * *least_s) continue;
    tried.algorithm = text;
    break;
  }
  return tried;
}

// Returns the ways to try: the chosen one and, if nothing was measured, some others, because predictions may be wrong. The first of
// the others is the cheapest one with policy blocking, because predictions for the other policies leave out what rounds cost if
// ranks share cores. The others follow in the order of their prices.
std::vector<Way> worth_trying(const Decision& decision, const Problem& problem, std::size_t most) {
  if (decision.source == Source::wisdom) most = 1;
  std::vector<Way> ways;
  if (!is_vendors(decision.chosen)) ways.push_back(as_tried(decision.chosen, decision, problem));
  const auto add = [&](bool blocking_only) {
    for (const Considered& considered : decision.considered) {
      const bool is_new =
          std::none_of(ways.begin(), ways.end(), [&](const Way& way) { return algorithm_of(way) == algorithm_of(considered.way); });
      const bool fits = !blocking_only || considered.way.policy == Policy::blocking;
      if (ways.size() >= most) return;
      if (!is_new || !fits || is_vendors(considered.way) || !time_of(considered)) continue;
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
  if (site.key.operation) options.operation = {std::shared_ptr<const void>(), site.key.operation};
  options.in_place = site.key.function == Function::Bcast;
  return options;
}

}  // namespace

std::string text_of(const std::vector<Way>& ways, const Decision& decision) {
  std::string text;
  for (const Way& way : ways) {
    const bool is_chosen = text.empty() && way == decision.chosen;
    text += fmt::format("{1}{0}{2}{0}{3}{0}{4}{0}{5}{6}", field_end, way.algorithm, static_cast<int>(way.policy), way.buffers,
                        static_cast<int>(way.executor), is_chosen ? decision.reason : "it was the fastest in a trial", line_end);
  }
  return text.empty() ? std::string(sentence(Cause::no_contender)) : text;
}

bool has_ways(std::string_view text) { return text.ends_with(line_end); }

std::vector<PlannedWay> parse_ways(std::string_view text) {
  QUADRILLE_ASSERT(has_ways(text));
  std::vector<PlannedWay> ways;
  for (const std::string_view line : split(text.substr(0, text.size() - 1), line_end)) {
    const std::vector<std::string_view> fields = split(line, field_end);
    QUADRILLE_ASSERT(fields.size() == 5);
    const auto number = [&](std::size_t field) { return number_in<int>(fields[field]).value_or(0); };
    ways.push_back({Way{.algorithm = std::string(fields[0]),
                        .policy = static_cast<Policy>(number(1)),
                        .buffers = number(2),
                        .executor = static_cast<Executor>(number(3))},
                    std::string(fields[4])});
  }
  return ways;
}

Problem problem_of(const Site& site, Communicator& group) {
  Problem problem{.collective = *collective_of(site.key.function), .ranks = group.size(), .root = site.key.root};
  if (is_irregular(problem.collective))
    problem.counts = std::make_shared<const std::vector<Bytes>>(site.shares);
  else
    problem.block_bytes = site.key.block_bytes;
  if (site.key.operation) {
    problem.element_bytes = site.key.operation->element_bytes;
    // Sums of floating-point numbers must be equal on all ranks and independent of the algorithm.
    problem.reproducible = !facts_of(site.trial_arguments.type).element.is_exact;
  }
  return checked_for(group, problem);
}

std::optional<Plan> plan_by(Communicator& group, const Site& site, const Way& way) {
  try {
    const Problem problem = problem_of(site, group);
    PlanOptions options = options_of(site);
    PlanOptions named = plan_options_of(problem, way);
    options.algorithm = std::move(named.algorithm);
    options.policy = named.policy, options.executor = named.executor, options.buffers = named.buffers;
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

Contenders contenders(Communicator& group, const Site& site, std::size_t most, bool anyhow) {
  const double begin = PMPI_Wtime();
  const Problem problem = problem_of(site, group);
  const std::string told = told_decision(group, problem, options_of(site), [&](const Decision& decision) {
    const std::string_view cause = anyhow ? "" : decided(decision);
    return cause.empty() ? text_of(worth_trying(decision, problem, most), decision) : std::string(cause);
  });
  const double chosen = PMPI_Wtime();
  Contenders made{.plans = {}, .ways = {}, .cause = has_ways(told) ? "" : told, .choice_s = chosen - begin};
  if (!made.cause.empty()) return made;
  for (PlannedWay& each : parse_ways(told)) {
    if (auto one = plan_by(group, site, *each.way)) {
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
