// SPDX-License-Identifier: BSD-3-Clause
#include "tune/explain/flips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "collectives/table.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "tune/choosing/decide.hpp"

namespace quadrille {
namespace {

constexpr Count accuracy = 32;  // the place of a flip is found with a relative error of at most 1 / accuracy

using Examined = std::map<Count, Taken>;

// Returns true if all these ways are tied at all examined values from `from` up to `end`, without `end`.
bool are_tied(const std::vector<std::string>& ways, const Examined& examined, Count from, Count end) {
  for (auto each = examined.lower_bound(from); each != examined.end() && each->first < end; ++each)
    for (const std::string& way : ways)
      if (way != each->second.way && std::find(each->second.tied.begin(), each->second.tied.end(), way) == each->second.tied.end())
        return false;
  return true;
}

// Joins flips whose choices are tied.
std::vector<Flip> with_ties(const std::vector<Flip>& flips, const Examined& examined) {
  std::vector<Flip> joined;
  std::vector<std::string> ways;  // the ways of the last flip in `joined`
  for (std::size_t i = 0; i < flips.size(); ++i) {
    const Count end = i + 1 < flips.size() ? flips[i + 1].from : std::numeric_limits<Count>::max();
    std::vector<std::string> more = ways;
    if (std::find(more.begin(), more.end(), flips[i].way) == more.end()) more.push_back(flips[i].way);
    if (joined.empty() || !are_tied(more, examined, joined.back().from, end)) {
      joined.push_back(flips[i]);
      ways = {flips[i].way};
    } else {
      ways = std::move(more);
      joined.back().tied.assign(ways.begin() + 1, ways.end());
    }
  }
  return joined;
}

constexpr Count most_ranks = 4096;        // flips are searched up to so many ranks
constexpr Count most_ranks_listed = 512;  // the limit for an alltoallv, whose counts are a matrix

// Returns a problem with about the same total and the same empty blocks, whose longest block is `factor` times the mean of the
// blocks that are not empty: each size is raised to a power. If all blocks have the same size, each rank's first block grows.
Problem with_irregularity(const Problem& problem, Count factor) {
  const Traffic traffic(problem);
  std::vector<TrafficEntry> entries;
  std::vector<double> logs;  // logarithms of the sizes of blocks, relative to the longest block
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

// Returns the largest irregularity that `with_irregularity` can reach: in that problem only the longest blocks have more than a
// negligible size.
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

// Which candidate is the cheapest, by size of block.

// limit for all candidates' messages at one size: the search prices about fifty sizes
constexpr Count most_messages = 500'000;

// Returns the same choice for another problem; nothing if the algorithm, or a parameter's value, is not allowed there.
std::optional<Choice> choice_for(const Problem& problem, const Choice& unusual) {
  try {
    Choice choice = completed(problem, unusual);
    if (applies(problem, choice)) return choice;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
  }
  return std::nullopt;
}

class CheapestFinder {
 public:
  CheapestFinder(const Problem& problem, const std::vector<Choice>& candidates, const Model& model, const MachineCosts& machine,
                 const CheapestOptions& options)
      : problem_(problem), model_(model), machine_(machine), options_(options) {
    if (candidates.empty()) throw Error(ErrorCode::misuse, "there are no candidates to compare; name one at least");
    for (const Choice& choice : candidates) {
      if (choice.algorithm && choice.algorithm->collective != problem.collective)
        throw Error(ErrorCode::misuse, fmt::format("{}/{} is no algorithm for {}", name(choice.algorithm->collective),
                                                   choice.algorithm->id, name(problem.collective)));
      const Choice unusual = shortened(problem, completed(problem, choice));
      candidates_.push_back({specification(unusual), unusual});
    }
  }

  Flips run() {
    if (!has_other_blocks(problem_, options_.at_block)) return {.note = why_no_other_blocks(problem_)};
    try {
      const Count messages = options_.messages > 0 ? options_.messages : counted_messages();
      if (messages > most_messages)
        return {
            .note = fmt::format(
                "the fastest at other sizes is not searched, because each size has {} messages; name fewer candidates", messages)};
      return found();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      return {.note = error.what()};  // some size up to the largest block is too large
    }
  }

 private:
  struct Rival {
    std::string name;
    Choice unusual;  // the parameters that differ from their defaults
  };

  Workload counted(const Problem& problem, const Choice& choice) const {
    return workload_for(model_, make_schedule(problem, choice), options_.topology ? &*options_.topology : nullptr);
  }

  Count counted_messages() const {
    Count messages = 0;
    for (const Rival& each : candidates_)
      if (const auto choice = choice_for(problem_, each.unusual)) messages += counted(problem_, *choice).messages_counted;
    return messages;
  }

  // Returns the name of the cheapest candidate; empty if none applies.
  std::string cheapest_at(Count elements) const {
    const Bytes block_bytes = elements * problem_.element_bytes;
    if (options_.progress) options_.progress(block_bytes);
    const Problem problem = with_block(problem_, block_bytes, options_.at_block);
    using Order = std::pair<double, Count>;  // seconds, ports
    std::optional<Order> least;
    std::string name;
    for (const Rival& each : candidates_) {
      const auto choice = choice_for(problem, each.unusual);
      if (!choice) continue;
      const Workload work = counted(problem, *choice);
      const Price price = price_of(work, model_, machine_);
      const Order order{price.seconds(price.best_policy()), work.ports};
      if (least && *least <= order) continue;
      least = order;
      name = each.name;
    }
    return name;
  }

  Flips found() {
    std::vector<Flip> at_powers;
    std::set<std::string> winners;
    for (const Count elements : powers_of_elements(problem_.element_bytes)) {
      at_powers.push_back({elements, cheapest_at(elements)});
      winners.insert(at_powers.back().way);
    }
    if (winners == std::set<std::string>{""}) return {.note = "none of the candidates applies"};
    Flips flips{.list = {at_powers[0]}, .upto = at_powers.back().from * problem_.element_bytes};
    std::erase_if(candidates_, [&](const Rival& each) { return !winners.contains(each.name); });
    const auto is_next = [](Count from, Count to) { return to - from == 1; };
    const auto way_at = [&](Count elements) { return cheapest_at(elements); };
    for (std::size_t i = 1; i < at_powers.size(); ++i) find_changes(at_powers[i - 1], at_powers[i], way_at, is_next, flips.list);
    for (Flip& flip : flips.list) flip.from *= problem_.element_bytes;
    return flips;
  }

  const Problem& problem_;
  const Model& model_;
  const MachineCosts& machine_;
  const CheapestOptions& options_;
  std::vector<Rival> candidates_;
};

}  // namespace

std::vector<const Considered*> tied_with_chosen(const Decision& decision) {
  std::vector<const Considered*> tied;
  if (decision.considered.empty() || decision.considered[0].measured || !decision.considered[0].predicted_s) return tied;
  for (const Considered& each : decision.considered)
    if (each.way != decision.chosen && each.predicted_s && is_tied(decision, *each.predicted_s) && !runs_baseline(each.way))
      tied.push_back(&each);
  return tied;
}

void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes) {
  if (first.way == last.way) return;
  if (is_near(first.from, last.from)) return changes.push_back(last);
  const Count place = first.from + (last.from - first.from) / 2;
  const Flip middle{place, way_at(place)};
  find_changes(first, middle, way_at, is_near, changes);
  find_changes(middle, last, way_at, is_near, changes);
}

Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline, const std::function<Taken(Count)>& taken_at) {
  const auto is_over = [&] { return std::chrono::steady_clock::now() > deadline; };
  const auto is_near = [&](Count from, Count to) { return to - from <= std::max<Count>(1, from / accuracy) || is_over(); };
  Examined examined;
  const auto way_at = [&](Count value) { return (examined[value] = taken_at(value)).way; };
  std::vector<Flip> known;  // the choice at each of the values
  Flips flips;
  for (const Count value : values) {
    if (is_over()) {
      flips.note = "looking further would take too long";
      break;
    }
    known.push_back({value, way_at(value)});
    flips.upto = value;
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    if (i == 0)
      flips.list.push_back(known[i]);
    else if (bisects)
      find_changes(known[i - 1], known[i], way_at, is_near, flips.list);
    else if (known[i].way != known[i - 1].way)
      flips.list.push_back(known[i]);
  flips.list = with_ties(flips.list, examined);
  return flips;
}

std::vector<Count> powers_of_elements(Bytes element_bytes) {
  std::vector<Count> powers;
  for (Count elements = 1; elements * element_bytes <= most_block_bytes; elements *= 2) powers.push_back(elements);
  return powers;
}

Problem with_block(const Problem& problem, Bytes block_bytes, const AtBlock& at_block) {
  if (at_block) return at_block(block_bytes);
  Problem other = problem;
  other.block_bytes = block_bytes;
  check(other);
  return other;
}

bool has_other_blocks(const Problem& problem, const AtBlock& at_block) { return at_block || has_blocks(problem.collective); }

std::string why_no_other_blocks(const Problem& problem) {
  return moves_data(problem.collective) ? "the sizes are given" : fmt::format("a {} has no blocks", name(problem.collective));
}

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

// Nodes are added, and each node keeps its number of ranks. Without nodes all ranks stay on one node.
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

// Returns the problem for `ranks` ranks, without nodes and grid.
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
  for (const Considered* each : tied_with_chosen(decision)) taken.tied.push_back(way_text(problem, each->way));
  return taken;
}

Flips cheapest_by_block(const Problem& problem, const std::vector<Choice>& candidates, const Model& model,
                        const MachineCosts& machine, const CheapestOptions& options) {
  check(problem);
  coefficients_of(machine, model);  // throws if the machine has no coefficients for the model
  return CheapestFinder(problem, candidates, model, machine, options).run();
}

}  // namespace quadrille
