// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/choice_flips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "tune/explain/ties.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = 4096;        // flips are searched up to so many ranks
constexpr Count most_ranks_listed = 512;  // the limit for an alltoallv, whose counts are a matrix

// Returns a problem with the same blocks that are not empty and about the same total, in which the longest block is `factor` times
// their mean: each block's size is raised to a power. If all blocks have the same size, the first one of each rank grows.
Problem with_irregularity(const Problem& problem, Count factor) {
  const Traffic traffic(problem);
  std::vector<TrafficEntry> entries;
  std::vector<double> logs;  // of the blocks relative to the longest one
  const bool are_equal = irregularity(problem) < 1.001;
  const auto longest = static_cast<double>(traffic.longest());
  double total = 0;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : traffic.sent_by(from)) {
      const bool is_first = entries.empty() || entries.back().from != from;
      entries.push_back({from, share.peer, share.bytes});
      logs.push_back(are_equal ? (is_first ? 0 : std::log(0.5)) : std::log(static_cast<double>(share.bytes) / longest));
      total += static_cast<double>(share.bytes);
    }
  const auto sum_of_powers = [&](double power) {
    double sum = 0;
    for (const double each : logs) sum += std::exp(power * each);
    return sum;
  };
  const auto target = static_cast<double>(entries.size()) / static_cast<double>(factor);
  double low = 0, high = 1;
  while (sum_of_powers(high) > target && high < 1024) high *= 2;
  for (int i = 0; i < 40; ++i) (sum_of_powers((low + high) / 2) > target ? low : high) = (low + high) / 2;
  const double scale = total / sum_of_powers(high);
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i].bytes = std::max<Bytes>(1, std::llround(scale * std::exp(high * logs[i])));
  Problem other = Problem::alltoallv(problem.ranks, std::move(entries));
  other.nodes = problem.nodes, other.grid = problem.grid;
  return other;
}

// Returns the largest irregularity that `with_irregularity` can reach: then only the longest blocks have a size that counts.
Count most_irregular(const Problem& problem) {
  const Traffic traffic(problem);
  const bool are_equal = irregularity(problem) < 1.001;
  Count filled = 0, longest = 0;
  for (Rank from = 0; from < problem.ranks; ++from) {
    const std::vector<Share> sent = traffic.sent_by(from);
    filled += size(sent);
    longest += are_equal
                   ? std::min<Count>(1, size(sent))
                   : std::count_if(sent.begin(), sent.end(), [&](const Share& share) { return share.bytes == traffic.longest(); });
  }
  return longest == 0 ? 1 : filled / longest;
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
    return taken_for(FlipQuantity::block_bytes, elements * unit, with_block(problem_, elements * unit, options_.at_block));
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
    return taken_for(FlipQuantity::ranks, ranks, std::move(other));
  });
}

Flips ChoiceFlips::by_irregularity() const {
  if (!has_pair_counts(problem_.collective)) return {};
  if (problem_.ranks > most_ranks_listed) return {.note = fmt::format("looked at up to {} ranks only", most_ranks_listed)};
  const Count own = std::max<Count>(1, std::llround(irregularity(problem_))), most = std::max(own, most_irregular(problem_) / 2);
  std::set<Count> factors{own};
  for (Count factor = 1; factor <= most; factor *= 2) factors.insert(factor);
  return find_flips({factors.begin(), factors.end()}, false, deadline_after(options_.seconds / 3), [&](Count factor) {
    return taken_for(FlipQuantity::irregularity, factor, factor == own ? problem_ : with_irregularity(problem_, factor));
  });
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

Taken ChoiceFlips::taken_for(FlipQuantity quantity, Count value, Problem problem) const {
  if (options_.progress) options_.progress(quantity, value);
  if (problem.ranks == problem_.ranks) problem.nodes = problem_.nodes;
  const Decision decision = decide(problem, knowledge_.wisdom, knowledge_.options_for(problem));
  Taken taken{.way = way_text(problem, decision.chosen)};
  for (const Considered* each : tied_with_chosen(problem, decision)) taken.tied.push_back(way_text(problem, each->way));
  return taken;
}

}  // namespace quadrille
