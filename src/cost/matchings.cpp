// SPDX-License-Identifier: BSD-3-Clause
#include "cost/matchings.hpp"

#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_nodes_in_all_sets = 10;  // whose sets are all tried; 2^10 sets take microseconds

// Replaces the numbers of nodes by 0, 1, .., sorts the pairs, and adds up the amounts of each pair. Returns the old numbers.
std::vector<Count> make_compact(std::vector<PairLoad>& loads) {
  std::vector<Count> nodes;
  for (const PairLoad& load : loads) nodes.insert(nodes.end(), {load.one, load.other});
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto number = [&](Count node) {
    return static_cast<Count>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  for (PairLoad& load : loads) {
    const Count one = number(load.one), other = number(load.other);
    QUADRILLE_ASSERT(one != other);  // a node exchanges nothing with itself
    load.one = std::min(one, other), load.other = std::max(one, other);
  }
  const auto pair = [](const PairLoad& load) { return std::pair(load.one, load.other); };
  std::sort(loads.begin(), loads.end(), [&](const PairLoad& a, const PairLoad& b) { return pair(a) < pair(b); });
  std::size_t kept = 0;
  for (const PairLoad& load : loads)
    if (kept > 0 && pair(loads[kept - 1]) == pair(load))
      add_bytes(loads[kept - 1].amount, load.amount);
    else
      loads[kept++] = load;
  loads.resize(kept);
  return nodes;
}

struct OddSet {
  Count bound = 0, within = 0;
  std::vector<Count> members = {};
};

// Returns the bound of a set of `nodes` nodes, an odd number, that exchange `amount` among themselves.
Count bound_of_odd_set(std::size_t nodes, Count amount) {
  QUADRILLE_ASSERT(nodes >= 3 && nodes % 2 == 1);
  return ceil_divide(amount, static_cast<Count>(nodes / 2));
}

OddSet among_all_sets(const std::vector<PairLoad>& loads, std::size_t nodes) {
  std::vector<Count> within(std::size_t{1} << nodes);  // by set (one bit for each node): what its nodes exchange with each other
  for (const PairLoad& load : loads) within[std::size_t{1} << load.one | std::size_t{1} << load.other] = load.amount;
  OddSet most;
  std::size_t best = 0;
  for (std::size_t set = 1; set < within.size(); ++set) {
    const auto count = static_cast<std::size_t>(std::popcount(set));
    if (count < 3) continue;
    // The pairs of the set are those without its first node, and those of the first node with each other one.
    const std::size_t first = set & -set;
    within[set] = within[set ^ first];
    for (std::size_t rest = set ^ first; rest != 0; rest &= rest - 1) within[set] += within[first | (rest & -rest)];
    if (count % 2 == 0) continue;
    if (const Count bound = bound_of_odd_set(count, within[set]); bound > most.bound) most = {bound, within[set]}, best = set;
  }
  for (Count node = 0; best >> node != 0; ++node)
    if ((best >> node & 1) != 0) most.members.push_back(node);
  return most;
}

OddSet among_remaining_sets(const std::vector<PairLoad>& loads, std::size_t nodes) {
  std::vector<std::vector<std::pair<std::size_t, Count>>> partners(nodes);
  std::vector<Count> degrees(nodes, 0);
  Count within = 0;
  for (const PairLoad& load : loads) {
    for (const Count node : {load.one, load.other}) degrees[index(node)] += load.amount;
    partners[index(load.one)].emplace_back(index(load.other), load.amount);
    partners[index(load.other)].emplace_back(index(load.one), load.amount);
    within += load.amount;
  }
  std::set<std::pair<Count, std::size_t>> remaining;  // what a node exchanges with the remaining ones, and its number
  for (std::size_t node = 0; node < degrees.size(); ++node) remaining.emplace(degrees[node], node);
  OddSet most;
  std::vector<Count> removed;
  std::size_t removed_before = 0;  // how many nodes are removed before the best set
  for (; remaining.size() > 2;) {
    if (remaining.size() % 2 == 1)
      if (const Count bound = bound_of_odd_set(remaining.size(), within); bound > most.bound)
        most = {bound, within}, removed_before = removed.size();
    const std::size_t taken = remaining.begin()->second;
    remaining.erase(remaining.begin());
    removed.push_back(static_cast<Count>(taken));
    for (const auto& [other, amount] : partners[taken]) {
      const auto found = remaining.find({degrees[other], other});
      if (found == remaining.end()) continue;
      remaining.erase(found);
      remaining.emplace(degrees[other] -= amount, other);
      within -= amount;
    }
  }
  QUADRILLE_ASSERT(remaining.size() == 2 && within == remaining.begin()->first);
  if (most.bound == 0) return most;
  most.members.assign(removed.begin() + static_cast<std::ptrdiff_t>(removed_before), removed.end());
  for (const auto& [degree, node] : remaining) most.members.push_back(static_cast<Count>(node));
  return most;
}

// Divides the pairs into those of each connected set of nodes.
std::vector<std::vector<PairLoad>> of_connected_nodes(const std::vector<PairLoad>& loads, std::size_t nodes) {
  std::vector<std::size_t> towards(nodes);  // a node of the same set; itself for one node of each set
  std::iota(towards.begin(), towards.end(), std::size_t{0});
  const auto set_of = [&](Count node) {
    std::size_t at = index(node);
    while (towards[at] != at) at = towards[at] = towards[towards[at]];
    return at;
  };
  for (const PairLoad& load : loads) towards[set_of(load.one)] = set_of(load.other);
  std::map<std::size_t, std::vector<PairLoad>> sets;
  for (const PairLoad& load : loads) sets[set_of(load.one)].push_back(load);
  std::vector<std::vector<PairLoad>> all;
  for (auto& [set, own] : sets) all.push_back(std::move(own));
  return all;
}

}  // namespace

MatchingBounds matching_bounds(std::vector<PairLoad> loads) {
  const std::vector<Count> numbers = make_compact(loads);
  const std::size_t nodes = numbers.size();
  std::vector<Count> degrees(nodes, 0), partners(nodes, 0);
  Count all = 0;
  for (const PairLoad& load : loads) {
    add_bytes(all, load.amount);
    for (const Count node : {load.one, load.other}) degrees[index(node)] += load.amount, ++partners[index(node)];
  }
  MatchingBounds bounds;
  for (std::size_t node = 0; node < nodes; ++node)
    if (degrees[node] > bounds.degree) bounds.degree = degrees[node], bounds.busiest = numbers[node];
  // An odd set needs three nodes, one of which has two partners. Its bound is at most the number of all exchanges.
  if (all <= bounds.degree || std::all_of(partners.begin(), partners.end(), [](Count count) { return count < 2; })) return bounds;
  for (std::vector<PairLoad>& own : of_connected_nodes(loads, nodes)) {
    const std::vector<Count> of_own = make_compact(own);
    OddSet set =
        of_own.size() <= most_nodes_in_all_sets ? among_all_sets(own, of_own.size()) : among_remaining_sets(own, of_own.size());
    if (set.bound <= bounds.odd_set) continue;
    bounds.odd_set = set.bound, bounds.within_set = set.within;
    for (Count& member : set.members) member = numbers[index(of_own[index(member)])];
    bounds.members = std::move(set.members);
  }
  return bounds;
}

LeastMatchings least_matchings(std::vector<RankExchange> exchanges, const NodeRanks& nodes) {
  const auto comes_before = [](const RankExchange& a, const RankExchange& b) {
    return std::tuple(a.one, a.other, b.bytes) < std::tuple(b.one, b.other, a.bytes);  // of a pair's two messages the longer first
  };
  // In many rounds the exchanges from lower to higher ranks are sorted already, and so are the others.
  const auto others =
      std::stable_partition(exchanges.begin(), exchanges.end(), [](const RankExchange& each) { return each.one < each.other; });
  std::for_each(others, exchanges.end(), [](RankExchange& each) { std::swap(each.one, each.other); });
  for (const auto& [first, last] : {std::pair(exchanges.begin(), others), std::pair(others, exchanges.end())})
    if (!std::is_sorted(first, last, comes_before)) std::sort(first, last, comes_before);
  std::inplace_merge(exchanges.begin(), others, exchanges.end(), comes_before);
  exchanges.erase(std::unique(exchanges.begin(), exchanges.end(),
                              [](const RankExchange& a, const RankExchange& b) { return a.one == b.one && a.other == b.other; }),
                  exchanges.end());
  if (exchanges.empty()) return {};
  Bytes shortest = exchanges.front().bytes, all = 0;
  for (const RankExchange& each : exchanges) {
    shortest = std::min(shortest, each.bytes);
    add_bytes(all, each.bytes);
  }
  const auto bound = [&](const auto& amount_of) {
    std::vector<PairLoad> loads;
    for (const RankExchange& each : exchanges) {
      const Count one = nodes.node_of(each.one), other = nodes.node_of(each.other);
      if (loads.empty() || loads.back().one != one || loads.back().other != other) loads.push_back({one, other, 0});
      loads.back().amount += amount_of(each);  // at most the sum of all
    }
    return matching_bounds(std::move(loads)).least();
  };
  LeastMatchings least{.steps = bound([](const RankExchange&) { return Count{1}; })};
  QUADRILLE_ASSERT(least.steps > 0 && least.steps <= size(exchanges));
  least.bytes = least.steps * shortest;  // at most the sum of all
  if (all != shortest * size(exchanges))
    least.bytes = std::max(least.bytes, bound([](const RankExchange& each) { return each.bytes; }));
  return least;
}

}  // namespace quadrille
