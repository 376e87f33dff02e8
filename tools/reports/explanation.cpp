// SPDX-License-Identifier: BSD-3-Clause
#include "reports/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "execute/executors.hpp"
#include "options/cases.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/policy_name.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr Bytes most_block_bytes = Bytes{1} << 24;
constexpr Count most_ranks = 4096;        // flips (changes of the choice) are searched up to so many ranks
constexpr Count most_ranks_listed = 512;  // the limit for an alltoallv, whose counts are a matrix

// Coefficients of what ranks of a node share, in the model max-rate. 0 means that they do not share it.
constexpr const char* shared_rates[] = {"node_us_per_byte", "node_gap_us", "memory_us_per_byte", "cores"};

ExecutorFit uncontended(ExecutorFit fit) {
  for (const char* key : shared_rates)
    if (const auto found = fit.coefficients.find(key); found != fit.coefficients.end()) found->second = 0;
  return fit;
}

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

std::vector<Row> rows_of(const Problem& problem, const Decision& decision, const ExplainKnowledge& knowledge, std::size_t most) {
  std::vector<Row> rows;
  for (const Considered& each : decision.considered) {
    const auto is_same = [&](const Row& row) {
      return row.considered.way.algorithm == each.way.algorithm && row.considered.way.executor == each.way.executor;
    };
    if (std::any_of(rows.begin(), rows.end(), is_same)) continue;  // the same algorithm is there already, under a better policy
    Row& row =
        rows.emplace_back(Row{.considered = each, .name = short_name(problem, parse_candidate(problem, each.way.algorithm))});
    if (rows.size() > most || !each.price) continue;
    if (const auto fit = knowledge.fit(each.way.executor, decision.situation)) row.parts = parts_of(problem, each.way, *fit);
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> inapplicable(const Problem& problem) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Algorithm* algorithm : algorithms_for(problem.collective))
    if (const auto result = applies(problem, completed(problem, {algorithm, {}})); !result)
      list.emplace_back(algorithm->id, result.error());
  return list;
}

// Returns the greatest number of bytes that the ranks of one node together send to other nodes. It does not depend on the
// algorithm. 0 if it is not known.
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

// Returns a rank's least possible work: one message per round. All messages have the same length, except for the remainder of the
// division. Each goes to a rank of the same node (`inside`) or of another one.
Workload least_work(Count rounds, Bytes bytes, bool inside) {
  StageFigures stage;
  for (Count round = 0; round < rounds; ++round) {
    const Bytes share = bytes / rounds + (round < bytes % rounds ? 1 : 0);
    RoundFigures figures{.number = round, .messages = 1, .bytes = share, .longest = share};
    (inside ? figures.inside_messages : figures.outside_messages) = 1;
    (inside ? figures.inside_bytes : figures.outside_bytes) = share;
    stage.rounds.push_back(figures);
  }
  return {.stages = {std::move(stage)}, .has_work = true};
}

// Returns the lower bound for one port. It applies because in the model max-rate each message takes its full start-up, even if
// several are under way at once.
LowerBound bound_of(const Problem& problem, const Situation& situation, const std::optional<ExecutorFit>& fit) {
  LowerBound bound;
  for (const Bound& each : lower_bounds(problem, 1)) {
    if (each.figure == "c1") bound.rounds = each.value, bound.of_rounds = each.source;
    if (each.figure == "c2") bound.bytes = each.value, bound.of_bytes = each.source;
  }
  if (!fit || bound.rounds == 0) return bound;
  const auto seconds = [&](bool inside) {
    return price_by(uncontended(*fit), least_work(bound.rounds, bound.bytes, inside)).blocking_s;
  };
  const double of_rank = situation.nodes == 1           ? seconds(true)
                         : situation.ranks_of_node == 1 ? seconds(false)
                                                        : std::min(seconds(true), seconds(false));
  const double of_node = 1e-6 * fit->coefficients.at("node_us_per_byte") * static_cast<double>(leaving_a_node(problem, situation));
  bound.seconds = std::max(of_rank, of_node);
  return bound;
}

// Returns a problem in which rank 0 sends `factor` times the mean of all ranks, and each rank sends the same to every other. The
// total is that of `problem`.
Problem with_skew(const Problem& problem, Count factor) {
  const Count p = problem.ranks;
  const auto total = static_cast<double>(situation_of(problem).block_bytes) * static_cast<double>(p) * static_cast<double>(p);
  const double heavy = total * static_cast<double>(factor) / static_cast<double>(p);
  std::vector<Bytes> counts(index(p * p), static_cast<Bytes>((total - heavy) / static_cast<double>((p - 1) * p)));
  std::fill_n(counts.begin(), p, static_cast<Bytes>(heavy / static_cast<double>(p)));
  Problem skewed = problem;
  skewed.sparse_counts = nullptr;
  skewed.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return skewed;
}

// Makes quick decisions for problems that differ from the first in one quantity, and finds where the choice changes.
class FlipFinder {
 public:
  FlipFinder(const Problem& problem, const ExplainKnowledge& knowledge, const ExplainOptions& options, ProgressLine& progress)
      : problem_(problem), knowledge_(knowledge), options_(options), progress_(progress) {}

  Flips by_block() const {
    if (!options_.problem.depends_on_block(problem_.collective)) return {.note = "the sizes are given"};
    std::vector<Count> values;
    for (Count elements = 1; elements * problem_.element_bytes <= most_block_bytes; elements *= 2) values.push_back(elements);
    Flips flips = find_flips(values, true, deadline(), [&](Count elements) {
      Problem other =
          options_.problem.problem(problem_.collective, problem_.ranks, elements * problem_.element_bytes, problem_.root);
      return way_for(other, fmt::format("blocks of {}", bytes_text(elements * problem_.element_bytes)));
    });
    for (Flip& flip : flips.list) flip.from *= problem_.element_bytes;
    flips.upto *= problem_.element_bytes;
    return flips;
  }

  // Each node keeps its number of ranks, so nodes are added; without nodes all ranks stay on one node.
  Flips by_ranks() const {
    if (options_.problem.counts) return {.note = "the counts are given for so many ranks"};
    const Situation situation = situation_of(problem_);
    const Count unit = situation.nodes > 1 ? situation.ranks_of_node : 1;
    std::vector<Count> values;
    for (Count units = 2; units * unit <= std::min(most_ranks, 16 * problem_.ranks); units *= 2) values.push_back(units * unit);
    return find_flips(values, false, deadline(), [&](Count ranks) {
      ProblemOptions options = options_.problem;
      options.nodes.reset(), options.node_sizes.reset(), options.topology.reset(), options.grid.reset();
      Problem other = options.problem(problem_.collective, ranks, options_.block, std::min(problem_.root, ranks - 1));
      for (Rank rank = 0; situation.nodes > 1 && rank < ranks; ++rank) other.nodes.push_back(rank / unit);
      return way_for(other, fmt::format("{} ranks", ranks));
    });
  }

  Flips by_skew() const {
    if (!has_pair_counts(problem_.collective)) return {};
    if (problem_.ranks > most_ranks_listed) return {.note = fmt::format("looked at up to {} ranks only", most_ranks_listed)};
    std::vector<Count> factors;
    for (Count factor = 1; factor <= problem_.ranks; factor *= 2) factors.push_back(factor);
    return find_flips(factors, false, deadline(),
                      [&](Count factor) { return way_for(with_skew(problem_, factor), fmt::format("a skew of {}", factor)); });
  }

 private:
  Deadline deadline() const {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(options_.seconds / 3));
  }

  std::string way_for(Problem problem, const std::string& what) const {
    progress_.show(fmt::format("looking where the choice changes: {}", what));
    if (problem.ranks == problem_.ranks) problem.nodes = problem_.nodes;
    const Decision decision = decide(problem, knowledge_.wisdom, knowledge_.options(problem));
    return way_text(problem, decision.chosen);
  }

  const Problem& problem_;
  const ExplainKnowledge& knowledge_;
  const ExplainOptions& options_;
  ProgressLine& progress_;
};

}  // namespace

std::string_view executor_text(Executor executor) { return row_of(executor).phrase; }

std::string way_text(const Problem& problem, const Way& way) {
  if (names_vendor(way.algorithm)) return fmt::format("the MPI library's own {}", name(problem.collective));
  std::string text = short_name(problem, parse_candidate(problem, way.algorithm));
  if (way.policy != Policy::blocking) text += fmt::format(", {},", quadrille::name(way.policy));
  return fmt::format("{} {}", text, executor_text(way.executor));
}

std::optional<double> Explanation::seconds() const {
  for (const Considered& each : decision.considered)
    if (each.way == decision.chosen) return each.measured ? each.measured->median_s : each.predicted_s;
  return std::nullopt;
}

Explanation explain(const Problem& problem, const ExplainKnowledge& knowledge, const ExplainOptions& options,
                    ProgressLine& progress) {
  progress.show("pricing");
  DecisionOptions by = knowledge.options(problem);
  by.explain = true;
  Explanation explanation{.problem = problem, .decision = decide(problem, knowledge.wisdom, by)};
  const Decision& decision = explanation.decision;
  explanation.rows = rows_of(problem, decision, knowledge, options.most_rows);
  explanation.do_not_apply = inapplicable(problem);
  const Executor executor = names_vendor(decision.chosen.algorithm) ? by.executors.front() : decision.chosen.executor;
  explanation.bound = bound_of(problem, decision.situation, knowledge.fit(executor, decision.situation));
  const FlipFinder finder(problem, knowledge, options, progress);
  explanation.by_block = finder.by_block();
  explanation.by_ranks = finder.by_ranks();
  explanation.by_skew = finder.by_skew();
  return explanation;
}

}  // namespace quadrille::command
