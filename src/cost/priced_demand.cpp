// SPDX-License-Identifier: BSD-3-Clause
#include "cost/priced_demand.hpp"

#include <algorithm>
#include <queue>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

PricedDemand::PricedDemand(const Demand& demand, const NetworkLinks& network)
    : network_(network), ranks_(demand.ranks()), blocks_(index(ranks_)), has_others_(index(ranks_)), out_(index(network.vertices)) {
  for (std::size_t link = 0; link < network.links.size(); ++link) out_[index(network.links[link].from)].push_back(link);
  demand.for_each_vector([&](std::span<const Need> needs) {
    if (needs.size() == 1 && needs[0].first == needs[0].last) {
      blocks_[index(needs[0].first)].push_back({needs[0].target, needs[0].bytes});
      return;
    }
    others_.push_back(needs);
    for (Rank from = needs[0].first, last = needs.back().last; from <= last; ++from) has_others_[index(from)] = true;
  });
}

// Dijkstra's algorithm.
void PricedDemand::find_ways(Vertex from, const std::vector<Count>& prices) {
  constexpr Count far = std::numeric_limits<Count>::max();
  distances_.assign(out_.size(), far);
  ways_.assign(out_.size(), 0);
  settled_.clear();
  std::vector<bool> is_settled(out_.size(), false);
  using Reached = std::pair<Count, Vertex>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  distances_[index(from)] = 0, ways_[index(from)] = 1;
  next.emplace(0, from);
  while (!next.empty()) {
    const auto [distance, here] = next.top();
    next.pop();
    if (is_settled[index(here)]) continue;
    is_settled[index(here)] = true;
    settled_.push_back(here);
    for (const std::size_t link : out_[index(here)]) {
      const std::size_t to = index(network_.links[link].to);
      const Count reached = distance + prices[link];
      if (is_settled[to] || reached > distances_[to]) continue;
      if (reached < distances_[to]) {
        ways_[to] = 0, distances_[to] = reached;
        next.emplace(reached, network_.links[link].to);
      }
      ways_[to] += ways_[index(here)];
    }
  }
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (distances_[index(rank)] == far) throw Error(ErrorCode::misuse, "the links of the network do not connect all ranks");
}

// Divides what vertices want among the cheapest ways that find_ways found, beginning with the farthest vertex.
void PricedDemand::load_ways(const std::vector<double>& wanted, const std::vector<Count>& prices, std::vector<double>& loads) {
  std::vector<double> passing = wanted;
  std::vector<std::size_t> place(out_.size(), settled_.size());
  for (std::size_t i = 0; i < settled_.size(); ++i) place[index(settled_[i])] = i;
  std::vector<std::vector<std::size_t>> in(out_.size());  // the last links of cheapest ways
  for (const Vertex vertex : settled_)
    for (const std::size_t link : out_[index(vertex)]) {
      const std::size_t from = index(vertex), to = index(network_.links[link].to);
      if (place[from] < place[to] && distances_[from] + prices[link] == distances_[to]) in[to].push_back(link);
    }
  for (auto vertex = settled_.rbegin(); vertex != settled_.rend(); ++vertex)
    for (const std::size_t link : in[index(*vertex)]) {
      const std::size_t from = index(network_.links[link].from);
      const double share = passing[index(*vertex)] * ways_[from] / ways_[index(*vertex)];
      loads[link] += share;
      passing[from] += share;
    }
}

Fraction::Wide PricedDemand::cost_of_blocks(const std::vector<Count>& prices, std::vector<double>* loads) {
  Fraction::Wide sum = 0;
  all_distances_.clear();
  std::vector<double> wanted(out_.size());
  for (Rank from = 0; from < ranks_; ++from) {
    if (!others_.empty()) all_distances_.emplace_back();
    if (blocks_[index(from)].empty() && !has_others_[index(from)]) continue;
    find_ways(from, prices);
    std::fill(wanted.begin(), wanted.end(), 0);
    for (const Part& part : blocks_[index(from)]) {
      sum += Fraction::Wide{distances_[index(part.target)]} * part.bytes;
      wanted[index(part.target)] += static_cast<double>(part.bytes);
    }
    if (loads) load_ways(wanted, prices, *loads);
    if (has_others_[index(from)]) all_distances_.back().assign(distances_.begin(), distances_.begin() + ranks_);
  }
  return sum;
}

// A vector that several ranks need, or have, costs at least each of the following sums:
// - the way from one of its sources to one of its targets;
// - for each rank that needs something of other ranks, a link into this rank;
// - for each rank whose operand others need, a link out of this rank;
// - if all ranks need the combination of all vectors, both, for all ranks but one: before the first rank knows all operands, each
//   other rank has sent a message, and after that, each other rank still receives one [patarasuk2009].
Fraction::Wide PricedDemand::cost_of(std::span<const Need> needs, const std::vector<Count>& least_in,
                                     const std::vector<Count>& least_out, std::vector<double>& in_loads,
                                     std::vector<double>& out_loads) const {
  std::vector<bool> sends(index(ranks_), false), receives(index(ranks_), false);
  Fraction::Wide farthest = 0, in = 0, out = 0, both = 0, dearest = 0;
  bool is_for_all = needs.size() == index(ranks_);
  for (const Need& need : needs) {
    receives[index(need.target)] = true;
    is_for_all = is_for_all && need.first == 0 && need.last == ranks_ - 1;
    for (Rank from = need.first; from <= need.last; ++from) {
      if (from == need.target) continue;
      sends[index(from)] = true;
      farthest = std::max<Fraction::Wide>(farthest, all_distances_[index(from)][index(need.target)]);
    }
  }
  for (std::size_t rank = 0; rank < sends.size(); ++rank) {
    in += receives[rank] ? least_in[rank] : 0;
    out += sends[rank] ? least_out[rank] : 0;
    both += least_in[rank] + least_out[rank];
    dearest = std::max<Fraction::Wide>(dearest, least_in[rank] + least_out[rank]);
  }
  const Fraction::Wide most = std::max({farthest, in, out, is_for_all ? both - dearest : 0});
  const auto bytes = static_cast<double>(needs[0].bytes);
  for (std::size_t rank = 0; rank < sends.size(); ++rank) {
    if (most == in || is_for_all) in_loads[rank] += receives[rank] ? bytes : 0;
    if (most == out || is_for_all) out_loads[rank] += sends[rank] ? bytes : 0;
  }
  return most * needs[0].bytes;
}

Fraction::Wide PricedDemand::cost(const std::vector<Count>& prices, std::vector<double>* loads) {
  Fraction::Wide sum = cost_of_blocks(prices, loads);
  if (others_.empty()) return sum;
  constexpr std::size_t no_link = ~std::size_t{0};
  std::vector<std::size_t> cheapest_in(index(ranks_), no_link), cheapest_out = cheapest_in;
  const auto take_cheaper = [&](std::size_t& cheapest, std::size_t link) {
    if (cheapest == no_link || prices[link] < prices[cheapest]) cheapest = link;
  };
  for (std::size_t link = 0; link < network_.links.size(); ++link) {
    const auto [from, to] = network_.links[link];
    if (from < ranks_) take_cheaper(cheapest_out[index(from)], link);
    if (to < ranks_) take_cheaper(cheapest_in[index(to)], link);
  }
  const auto prices_of = [&](const std::vector<std::size_t>& links) {
    std::vector<Count> list;
    for (const std::size_t link : links) list.push_back(link == no_link ? 0 : prices[link]);
    return list;
  };
  const std::vector<Count> least_in = prices_of(cheapest_in), least_out = prices_of(cheapest_out);
  std::vector<double> in_loads(index(ranks_)), out_loads(index(ranks_));
  for (const std::span<const Need> needs : others_) sum += cost_of(needs, least_in, least_out, in_loads, out_loads);
  if (!loads) return sum;
  for (std::size_t rank = 0; rank < in_loads.size(); ++rank) {
    if (cheapest_in[rank] != no_link) (*loads)[cheapest_in[rank]] += in_loads[rank];
    if (cheapest_out[rank] != no_link) (*loads)[cheapest_out[rank]] += out_loads[rank];
  }
  return sum;
}

}  // namespace quadrille
