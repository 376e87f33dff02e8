// SPDX-License-Identifier: BSD-3-Clause
// Explains a decision: the parts of its prices, a lower bound on the price of any schedule, and the times of families of
// schedules and of MPI libraries.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "execute/executors.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/vendor_choice.hpp"
#include "schedule/ordering.hpp"
#include "schedule/symmetry.hpp"
#include "tune/choosing/decide.hpp"
#include "tune/explain/flips.hpp"

namespace quadrille {
namespace {

// The coefficients of the model max-rate for resources that the ranks of a node share. A coefficient of 0 means that ranks do not
// share the resource.
constexpr const char* shared_rates[] = {"node_us_per_byte", "node_gap_us", "memory_us_per_byte", "cores"};

ExecutorFit uncontended(ExecutorFit fit) {
  for (const char* key : shared_rates)
    if (const auto found = fit.coefficients.find(key); found != fit.coefficients.end()) found->second = 0;
  return fit;
}

// Returns the greatest number of bytes, over the nodes, that the ranks of one node together send to other nodes. This number does
// not depend on the algorithm. 0: not known.
Bytes leaving_a_node(const Problem& problem, const Situation& situation) {
  if (problem.collective != Collective::alltoall || situation.nodes == 1) return 0;
  std::vector<Count> sizes;
  for (const Count node : problem.nodes) {
    sizes.resize(std::max(sizes.size(), index(node) + 1));
    ++sizes[index(node)];
  }
  Bytes most = 0;
  for (const Count ranks : sizes) most = std::max(most, ranks * (problem.ranks - ranks) * problem.block_bytes);
  return most;
}

// Returns a rank's least possible work: one message per round. The lengths of the messages differ by one byte at most. Each
// message goes to a rank of the same node (`inside`) or of another one.
Workload least_work(Count rounds, Bytes bytes, bool inside) {
  StageFigures stage;
  for (Count round = 0; round < rounds; ++round) {
    const Bytes share = bytes / rounds + (round < bytes % rounds ? 1 : 0);
    RoundFigures figures{.number = round, .messages = 1, .bytes = share, .longest = share};
    if (inside) {
      figures.taken_messages = figures.node_inside_messages = 1;
      figures.taken_bytes = figures.with_copied = figures.with_combined = figures.node_inside_bytes = share;
    } else {
      figures.outside_messages = 1;
      figures.outside_bytes = share;
    }
    stage.rounds.push_back(figures);
  }
  return {.stages = {std::move(stage)}, .has_work = true};
}

// Takes apart the price of a way of ours by the model max-rate.
PriceParts parts_of(const Problem& problem, const Way& way, const ExecutorFit& fit) {
  const Workload counted = workload(make_schedule(problem, way.algorithm), {.work = true});
  const Price alone = price_by(uncontended(fit), counted);
  PriceParts parts;
  for (const StageFigures& stage : counted.stages)
    parts.rounds += std::count_if(stage.rounds.begin(), stage.rounds.end(), [](const RoundFigures& r) { return r.messages > 0; });
  for (const PriceTerm& term : alone.terms_of(way.policy)) {
    const bool is_copy = term.name == "copied bytes" || term.name == "combined bytes";
    (is_copy ? parts.copies_s : term.is_bytes ? parts.bytes_s : parts.startups_s) += term.seconds;
    if (is_copy) parts.copied += term.amount;
    if (term.is_bytes && !is_copy) parts.bytes += term.amount;
    if (term.name == "start-ups" || term.name == "inside start-ups") parts.startups += term.amount;
  }
  parts.contention_s = std::max(0.0, price_by(fit, counted).seconds(way.policy) - alone.seconds(way.policy));
  return parts;
}

// Takes apart a price by any other model. Bytes that share a link count as contention. Bytes that a rank composes, copies or
// rearranges count as copies.
PriceParts parts_of(const Price& price, Policy policy) {
  static constexpr std::string_view copies[] = {"composed bytes", "copied bytes", "rearranged bytes", "combined bytes"};
  PriceParts parts;
  for (const StagePrice& stage : price.stages) parts.rounds += static_cast<Count>(stage.rounds.size());
  for (const PriceTerm& term : price.terms_of(policy)) {
    if (!term.is_bytes) {
      parts.startups_s += term.seconds;
      if (term.name != "operations") parts.startups += term.amount;
    } else if (std::find(std::begin(copies), std::end(copies), term.name) != std::end(copies)) {
      parts.copies_s += term.seconds;
      parts.copied += term.amount;
    } else if (term.name == "more link bytes") {
      parts.contention_s += term.seconds;
    } else {
      parts.bytes_s += term.seconds;
      parts.bytes += term.amount;
    }
  }
  return parts;
}

// Fills in the best bounds of C1 and C2.
void take_best(LowerBound& bound, const std::vector<Bound>& bounds) {
  for (const Bound& each : bounds) {
    if (each.figure == "c1" && each.value >= bound.rounds) bound.rounds = each.value, bound.of_rounds = each.source;
    if (each.figure == "c2" && each.value >= bound.bytes) bound.bytes = each.value, bound.of_bytes = each.source;
  }
}

// Returns the lower bound for the decision's model. For max-rate it is the bound for one port, because in this model each message
// takes its full start-up, even if several are under way at once. Without figures of the model, the bound has no time.
LowerBound bound_of(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge, Executor executor) {
  LowerBound bound;
  const Model* const model = decision.model.model;
  const Topology* const topology =
      knowledge.topology && knowledge.topology->ranks() == problem.ranks ? &*knowledge.topology : nullptr;
  if (model && !model->needs_work) {
    const auto times = knowledge.preset ? least_times(*model, *knowledge.preset, topology) : std::nullopt;
    const std::vector<Bound> bounds = quick_bounds(problem, times ? times->ports : 1, times ? topology : nullptr);
    take_best(bound, bounds);
    if (times) bound.seconds = time_bound(problem, bounds, *times).exact.approximate();
  } else {
    take_best(bound, lower_bounds(problem, 1));
    if (const auto fit = knowledge.fit(executor, decision.situation)) bound.seconds = least_seconds(problem, *fit);
  }
  if (decision.chosen.is_vendor() || bound.bytes == 0) return bound;
  constexpr Count most_operations = Count{1} << 20;  // of a rank's program and all others, so that counting takes a moment
  const Schedule schedule = make_schedule(problem, decision.chosen.algorithm);
  if (operation_count(schedule, most_operations) > most_operations) return bound;
  const Figures counted = figures(schedule);
  for (const Bound& each : lower_bounds(problem, std::max<Count>(1, counted.ports)))
    if (each.figure == "c2" && each.value > 0) bound.c2_ratio = static_cast<double>(counted.c2) / static_cast<double>(each.value);
  return bound;
}

class FamilyPricing {
 public:
  FamilyPricing(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge)
      : problem_(problem), decision_(decision), knowledge_(knowledge) {}

  ExplainedFamily explained(const Family& family) const {
    ExplainedFamily told{.name = family.name()};
    try {
      if (const auto schedule = family.schedule(problem_))
        take_best(told, *schedule);
      else
        told.reason = schedule.error();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      told.reason = error.what();
    }
    return told;
  }

 private:
  void take_best(ExplainedFamily& told, const Schedule& schedule) const {
    std::optional<Workload> counted;
    for (const Executor executor : knowledge_.options_for(problem_).executors) {
      const auto price = price_by_executor(schedule, executor, counted);
      if (!price) continue;
      const Policy policy = price->best_policy();
      const double seconds = price->seconds(policy);
      if (told.predicted_s && *told.predicted_s <= seconds) continue;
      told.executor = executor;
      told.policy = policy;
      told.predicted_s = seconds;
      told.parts = parts_of(*price, policy);
    }
    if (!told.predicted_s) told.reason = "no times are known by which it could be priced";
    for (const Considered& each : decision_.considered)
      if (told.predicted_s && each.way == decision_.chosen && each.predicted_s && *each.predicted_s > 0)
        told.ratio = *told.predicted_s / *each.predicted_s;
  }

  // The price by the model of the decision, so that it can be compared with the decision's prices.
  std::optional<Price> price_by_executor(const Schedule& schedule, Executor executor, std::optional<Workload>& counted) const {
    const Model* const model = decision_.model.model;
    if (!model) return std::nullopt;
    if (model->needs_work) {
      const auto fit = knowledge_.fit(executor, decision_.situation);
      if (!fit) return std::nullopt;
      if (!counted) counted = workload(schedule, {.work = true});
      return price_by(*fit, *counted);
    }
    if (!knowledge_.preset) return std::nullopt;
    const Topology* const topology = knowledge_.topology ? &*knowledge_.topology : nullptr;
    return price_of(workload_for(*model, schedule, topology), *model, *knowledge_.preset);
  }

  const Problem& problem_;
  const Decision& decision_;
  const MachineKnowledge& knowledge_;
};

// Returns true if measurements with the MPI library `mpi`, such as "Open MPI 4.1.4", apply to `library`. An empty `mpi` stands
// for any library.
bool is_meant(const VendorLibrary& library, const std::string& mpi) {
  if (mpi.empty()) return true;
  const auto measured = vendor_library_of(mpi);
  return measured && measured->id == library.id;
}

// Returns the time of MPI messages under the best policy; nothing if its figures are not known or pricing takes too long. Throws
// Error{too_large}.
std::optional<double> predicted(const Problem& problem, const Choice& choice, const MachineKnowledge& knowledge) {
  const auto fit = knowledge.fit(Executor::mpi, situation_of(problem));
  if (!fit || takes_too_long(problem, choice, true)) return std::nullopt;
  const Price price = price_by(*fit, workload(make_schedule(problem, choice), {.work = true}));
  return price.seconds(price.best_policy());
}

ExplainedVendor explained(const VendorLibrary& library, const Problem& problem, const MachineKnowledge& knowledge) {
  ExplainedVendor vendor{.title = std::string(library.title), .is_checked = library.is_checked};
  const auto algorithm = vendor_algorithm(library.id, problem);
  if (!algorithm) {
    vendor.reason = algorithm.error();
    return vendor;
  }
  vendor.algorithm = *algorithm;
  try {
    if (const auto choice = vendor_equivalent(library.id, problem, *algorithm)) {
      vendor.equivalent = short_name(problem, Candidate(*choice));
      vendor.predicted_s = predicted(problem, *choice, knowledge);
    } else {
      vendor.reason = choice.error();
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    if (vendor.equivalent.empty()) vendor.reason = error.what();
  }
  return vendor;
}

std::vector<ExplainedWay> explained(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge,
                                    std::size_t most_parts) {
  std::vector<ExplainedWay> ways;
  std::size_t shown = 0;
  for (const Considered& each : decision.considered) {
    const auto is_same = [&](const ExplainedWay& known) {
      return known.considered.way.algorithm == each.way.algorithm && known.considered.way.executor == each.way.executor;
    };
    if (std::any_of(ways.begin(), ways.end(), is_same)) continue;  // the algorithm is in the list already, under a better policy
    ExplainedWay& way = ways.emplace_back(
        ExplainedWay{.considered = each, .name = short_name(problem, each.way.algorithm), .is_baseline = runs_baseline(each.way)});
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

// Prices families of schedules for a comparison with the way that a plan chooses. Throws what the families throw, except
// Error{too_large}, which becomes the reason.
std::vector<ExplainedFamily> explained_families(const Problem& problem, const Decision& decision, const MachineKnowledge& knowledge,
                                                const std::vector<Family>& families) {
  std::vector<ExplainedFamily> list;
  for (const Family& family : families) list.push_back(FamilyPricing(problem, decision, knowledge).explained(family));
  return list;
}

// The times of MPI libraries that choose by their built-in rules.
std::vector<ExplainedVendor> explained_vendors(const Problem& problem, const MachineKnowledge& knowledge) {
  std::vector<ExplainedVendor> vendors;
  if (!knowledge.has_mpi) return vendors;
  const std::string& mpi = knowledge.wisdom.machine.mpi;
  for (const VendorLibrary& library : all_vendor_libraries()) {
    if (!is_meant(library, mpi)) continue;
    ExplainedVendor vendor = explained(library, problem, knowledge);
    if (!mpi.empty() || !vendor.algorithm.empty()) vendors.push_back(std::move(vendor));
  }
  return vendors;
}

}  // namespace

std::string way_text(const Problem& problem, const Way& way) {
  if (way.is_vendor()) return fmt::format("the MPI library's own {}", name(problem.collective));
  std::string text = short_name(problem, way.algorithm);
  if (way.policy != Policy::blocking) text += fmt::format(", {},", name(way.policy));
  return fmt::format("{} {}", text, row_of(way.executor).phrase);
}

std::optional<double> least_seconds(const Problem& problem, const ExecutorFit& fit) {
  const Situation situation = situation_of(problem);
  LowerBound bound;
  take_best(bound, lower_bounds(problem, 1));
  if (bound.rounds == 0) return std::nullopt;
  const auto seconds = [&](bool inside) {
    return price_by(uncontended(fit), least_work(bound.rounds, bound.bytes, inside)).blocking_s;
  };
  const double of_rank = situation.nodes == 1           ? seconds(true)
                         : situation.ranks_of_node == 1 ? seconds(false)
                                                        : std::min(seconds(true), seconds(false));
  const double of_node = 1e-6 * fit.coefficients.at("node_us_per_byte") * static_cast<double>(leaving_a_node(problem, situation));
  return std::max(of_rank, of_node);
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
  const Executor executor = decision.chosen.is_vendor() ? by.executors.front() : decision.chosen.executor;
  explanation.bound = bound_of(problem, decision, knowledge, executor);
  const ChoiceFlips flips(problem, knowledge, options);
  explanation.by_block = flips.by_block();
  explanation.by_ranks = flips.by_ranks();
  explanation.by_irregularity = flips.by_irregularity();
  return explanation;
}

}  // namespace quadrille
