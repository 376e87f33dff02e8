// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execute/executors.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "schedule/ordering.hpp"
#include "tune/explain/choice_flips.hpp"
#include "tune/explain/families.hpp"
#include "tune/explain/price_parts.hpp"
#include "tune/explain/ties.hpp"
#include "tune/explain/vendors.hpp"

namespace quadrille {
namespace {

std::vector<ExplainedWay> explained(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge,
                                    std::size_t most_parts) {
  std::vector<ExplainedWay> ways;
  std::size_t shown = 0;
  for (const Considered& each : decision.considered) {
    const auto is_same = [&](const ExplainedWay& known) {
      return known.considered.way.algorithm == each.way.algorithm && known.considered.way.executor == each.way.executor;
    };
    if (std::any_of(ways.begin(), ways.end(), is_same)) continue;  // the same algorithm is there already, under a better policy
    ExplainedWay& way = ways.emplace_back(ExplainedWay{.considered = each,
                                                       .name = short_name(problem, parse_candidate(problem, each.way.algorithm)),
                                                       .is_baseline = runs_baseline(problem, each.way)});
    if (!way.is_baseline) ++shown;
    if (shown > most_parts || !each.price) continue;
    if (decision.model.model && !decision.model.model->needs_work)
      way.parts = parts_of(*each.price, each.way.policy);
    else if (const auto fit = knowledge.fit(each.way.executor, decision.situation))
      way.parts = parts_of(problem, each.way, *fit);
  }
  return ways;
}

std::vector<std::pair<std::string, std::string>> inapplicable(const Problem& problem) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Algorithm* algorithm : algorithms_for(problem.collective))
    if (const auto result = applies(problem, completed(problem, {algorithm, {}})); !result)
      list.emplace_back(algorithm->id, result.error());
  return list;
}

}  // namespace

std::string way_text(const Problem& problem, const Way& way) {
  if (names_vendor(way.algorithm)) return fmt::format("the MPI library's own {}", name(problem.collective));
  std::string text = short_name(problem, parse_candidate(problem, way.algorithm));
  if (way.policy != Policy::blocking) text += fmt::format(", {},", name(way.policy));
  return fmt::format("{} {}", text, row_of(way.executor).phrase);
}

std::optional<double> Explanation::seconds() const {
  for (const Considered& each : decision.considered)
    if (each.way == decision.chosen) return each.measured ? each.measured->median_s : each.predicted_s;
  return std::nullopt;
}

Explanation explain(const Problem& problem, const MachineKnowledge& knowledge, const ExplainOptions& options) {
  check(problem);
  DecisionOptions by = knowledge.options_for(problem);
  by.explain = true;
  if (by.preset)
    if (const auto model = model_of_preset(problem, by); !model) throw Error(ErrorCode::misuse, model.error());
  Explanation explanation{.problem = problem, .decision = decide(problem, knowledge.wisdom, by)};
  const Decision& decision = explanation.decision;
  explanation.ways = explained(problem, decision, knowledge, options.most_parts);
  explanation.do_not_apply = inapplicable(problem);
  explanation.families = explained_families(problem, decision, knowledge, options.families);
  explanation.vendors = explained_vendors(problem, knowledge);
  const Executor executor = names_vendor(decision.chosen.algorithm) ? by.executors.front() : decision.chosen.executor;
  explanation.bound = bound_of(problem, decision.situation, knowledge.fit(executor, decision.situation));
  const ChoiceFlips flips(problem, knowledge, options);
  explanation.by_block = flips.by_block();
  explanation.by_ranks = flips.by_ranks();
  explanation.by_irregularity = flips.by_irregularity();
  return explanation;
}

}  // namespace quadrille
