// SPDX-License-Identifier: BSD-3-Clause
// Determines the candidates that are worth pricing, and those that take too long to price.
#include "tune/choosing/ways.hpp"

#include <algorithm>
#include <array>

#include "quadrille/cost.hpp"
#include "quadrille/decision.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_choices = 64;  // limit for one algorithm

// Returns all combinations of parameter values of one algorithm. Only values that are worth trying are combined.
std::vector<Choice> combinations(const Problem& problem, const Algorithm& algorithm) {
  std::vector<Choice> all{{.algorithm = &algorithm, .parameters = {}}};
  for (const Parameter& parameter : algorithm.parameters) {
    if (!parameter.worth_trying) continue;
    std::vector<Choice> longer;
    for (const Choice& choice : all) {
      const Choice before = completed(problem, choice);
      for (const ParameterValue& value : parameter.worth_trying(problem, before.parameters)) {
        if (longer.size() == most_choices) break;
        Choice& with = longer.emplace_back(choice);
        with.parameters[std::string(parameter.name)] = value;
      }
    }
    all = std::move(longer);
  }
  for (Choice& choice : all) choice = completed(problem, std::move(choice));
  return all;
}

bool runs_with_own_counts(const Problem& problem, const Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  return algorithm.needs_own_counts_only || (algorithm.incremental && algorithm.incremental(problem, choice.parameters, 0));
}

// Keeps the choices on the Pareto front. A choice is dropped if another one has at most as many rounds, start-ups and bytes. Of
// choices with equal figures the first one is kept.
void keep_pareto_front(const Problem& problem, std::vector<Choice>& choices) {
  if (choices.size() < 2 || !choices.front().algorithm->symmetry) return;
  struct Cost {
    std::array<Count, 3> figures;
    bool is_beaten_by(const Cost& other) const {
      for (std::size_t i = 0; i < figures.size(); ++i)
        if (other.figures[i] > figures[i]) return false;
      return true;
    }
  };
  std::vector<Choice> front;
  std::vector<Cost> costs;
  for (Choice& choice : choices) {
    const Figures counted = figures(make_schedule(problem, choice));
    const Cost cost{{counted.c1, counted.startups, counted.c2}};
    if (std::any_of(costs.begin(), costs.end(), [&](const Cost& other) { return cost.is_beaten_by(other); })) continue;
    for (std::size_t i = front.size(); i-- > 0;)
      if (costs[i].is_beaten_by(cost)) {
        front.erase(front.begin() + static_cast<std::ptrdiff_t>(i));
        costs.erase(costs.begin() + static_cast<std::ptrdiff_t>(i));
      }
    front.push_back(std::move(choice));
    costs.push_back(cost);
  }
  choices = std::move(front);
}

// If each program follows from all counts, pricing takes time for each pair of ranks.
Rank most_ranks_without_symmetry(const Algorithm& algorithm, bool explains) {
  if (!explains) return 128;
  return algorithm.collective == Collective::alltoallv && !algorithm.needs_own_counts_only ? 256 : 1024;
}

}  // namespace

std::vector<Choice> choices_worth_trying(const Problem& problem, bool own_counts_only) {
  std::vector<Choice> all;
  for (const Algorithm* algorithm : algorithms_for(problem.collective)) {
    std::vector<Choice> own = combinations(problem, *algorithm);
    std::erase_if(own, [&](const Choice& choice) {
      return !applies(problem, choice) || (own_counts_only && !runs_with_own_counts(problem, choice));
    });
    keep_pareto_front(problem, own);
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<Way> ways(const Problem& problem, const DecisionOptions& options) {
  std::vector<Way> all;
  for (const Choice& choice : choices_worth_trying(problem, options.own_counts_only))
    for (const Executor executor : options.executors)
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
        all.push_back({.algorithm = specification(choice), .policy = policy, .executor = executor});
  if (options.with_vendor) all.push_back({.algorithm = specification(Candidate(Vendor{})), .executor = Executor::mpi});
  return all;
}

bool takes_too_long(const Problem& problem, const Choice& choice, bool explains) {
  const Algorithm& algorithm = *choice.algorithm;
  if (problem.ranks <= most_ranks_without_symmetry(algorithm, explains)) return false;
  return !algorithm.symmetry || !algorithm.symmetry(problem, choice.parameters);
}

}  // namespace quadrille
