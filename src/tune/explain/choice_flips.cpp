// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/choice_flips.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "tune/explain/find_flips.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = 4096;        // flips are searched up to so many ranks
constexpr Count most_ranks_listed = 512;  // the limit for an alltoallv, whose counts are a matrix

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

Deadline deadline_after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Flips ChoiceFlips::by_block() const {
  if (!has_other_blocks(problem_, options_.at_block)) return {.note = why_no_other_blocks(problem_)};
  const Bytes unit = problem_.element_bytes;
  Flips flips = find_flips(powers_of_elements(unit), true, deadline_after(options_.seconds / 3), [&](Count elements) {
    return way_for(FlipQuantity::block_bytes, elements * unit, with_block(problem_, elements * unit, options_.at_block));
  });
  for (Flip& flip : flips.list) flip.from *= unit;
  flips.upto *= unit;
  return flips;
}

// Each node keeps its number of ranks, so nodes are added; without nodes all ranks stay on one node.
Flips ChoiceFlips::by_ranks() const {
  if (is_irregular(problem_.collective) && !options_.at_ranks) return {.note = "the counts are given for so many ranks"};
  if (const auto model = model_of_preset(problem_, knowledge_.options_for(problem_)); model && model->model->needs_links)
    return {.note = fmt::format("the model {} needs the network, which has so many ranks", model->model->id)};
  const Situation situation = situation_of(problem_);
  const Count unit = situation.nodes > 1 ? situation.ranks_of_node : 1;
  std::vector<Count> values;
  for (Count units = 2; units * unit <= std::min(most_ranks, 16 * problem_.ranks); units *= 2) values.push_back(units * unit);
  return find_flips(values, false, deadline_after(options_.seconds / 3), [&](Count ranks) {
    Problem other = with_ranks(ranks);
    for (Rank rank = 0; situation.nodes > 1 && rank < ranks; ++rank) other.nodes.push_back(rank / unit);
    return way_for(FlipQuantity::ranks, ranks, std::move(other));
  });
}

Flips ChoiceFlips::by_skew() const {
  if (!has_pair_counts(problem_.collective)) return {};
  if (problem_.ranks > most_ranks_listed) return {.note = fmt::format("looked at up to {} ranks only", most_ranks_listed)};
  std::vector<Count> factors;
  for (Count factor = 1; factor <= problem_.ranks; factor *= 2) factors.push_back(factor);
  return find_flips(factors, false, deadline_after(options_.seconds / 3),
                    [&](Count factor) { return way_for(FlipQuantity::skew, factor, with_skew(problem_, factor)); });
}

// Returns the problem among so many ranks, without nodes and grid.
Problem ChoiceFlips::with_ranks(Count ranks) const {
  Problem other = options_.at_ranks ? options_.at_ranks(ranks) : problem_;
  other.ranks = ranks;
  other.root = std::min(problem_.root, ranks - 1);
  other.nodes.clear(), other.grid.clear();
  check(other);
  return other;
}

std::string ChoiceFlips::way_for(FlipQuantity quantity, Count value, Problem problem) const {
  if (options_.progress) options_.progress(quantity, value);
  if (problem.ranks == problem_.ranks) problem.nodes = problem_.nodes;
  const Decision decision = decide(problem, knowledge_.wisdom, knowledge_.options_for(problem));
  return way_text(problem, decision.chosen);
}

}  // namespace quadrille
