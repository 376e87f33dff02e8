// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the k-port model [bruck1997, section 2].
#include <algorithm>
#include <numeric>

#include "cost/bound_arithmetic.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Theorems 2.5, 2.7 and 2.9 in one integer form. In T rounds, at most C(T, f) k^f destinations can be f hops away. So the p - 1
// blocks of a rank make at least W hops over k ports, where W is the sum of the p - 1 smallest hop counts. Returns nothing if T
// rounds cannot reach p - 1 destinations.
std::optional<Bytes> compound_bound(Count p, Count k, Count rounds, Bytes block_bytes) {
  WideCount left = p - 1, hops = 0, destinations = 1;
  for (Count f = 1; f <= rounds && left > 0; ++f) {
    destinations = destinations * (rounds - f + 1) * k / f;
    const WideCount taken = std::min(left, destinations);
    hops += taken * f;
    left -= taken;
  }
  if (left > 0) return std::nullopt;
  return quotient(hops * block_bytes, k);
}

std::vector<Bound> bounds_of_blocks(const Problem& problem, Count k, std::optional<Count> rounds) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const BoundFacts& facts = facts_of(problem.collective).bounds;
  std::vector<Bound> bounds{{"c1", rounds_to_reach(facts.connected_ranks(p), k), facts.rounds_source}};
  if (!facts.volume) return bounds;
  const BlockRatio volume = facts.volume(p);
  bounds.push_back({"c2", quotient(WideCount{b} * volume.times, WideCount{volume.parts} * k), facts.volume_source});
  if (is_exchange(problem.collective) && rounds && p > 1 && b > 0)
    if (const auto compound = compound_bound(p, k, *rounds, b))
      bounds.push_back({"c2", *compound, "bruck1997, theorems 2.5 to 2.9, in as many rounds"});
  return bounds;
}

std::vector<Bound> bounds_of_shares(const Problem& problem, Count k) {
  const BoundFacts& facts = facts_of(problem.collective).bounds;
  const std::vector<Bytes>& shares = *problem.counts;
  const Bytes total = std::accumulate(shares.begin(), shares.end(), Bytes{0});
  if (is_rooted(problem.collective)) {
    const Bytes own = shares[index(problem.root)];
    const Count partners = std::count_if(shares.begin(), shares.end(), [](Bytes share) { return share > 0; }) - (own > 0 ? 1 : 0);
    return {{"c1", rounds_to_reach(partners + 1, k), facts.rounds_source}, {"c2", quotient(total - own, k), facts.volume_source}};
  }
  const Bytes others = total - *std::min_element(shares.begin(), shares.end());
  return {{"c1", rounds_to_reach(facts.connected_ranks(problem.ranks), k), facts.rounds_source},
          {"c2", quotient(others, k), facts.volume_source}};
}

std::vector<Bound> bounds_of_pairs(const Problem& problem, Count k) {
  Count partners = 0;  // the most ranks that one rank sends to, or receives from
  Bytes load = 0;
  const auto look_at = [&](Rank rank, const std::vector<Share>& shares) {
    Count others = 0;
    Bytes total = 0;
    for (const Share& share : shares) {
      others += share.peer == rank ? 0 : 1;
      total += share.peer == rank ? 0 : share.bytes;
    }
    partners = std::max(partners, others);
    load = std::max(load, total);
  };
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    look_at(rank, Traffic(problem).sent_by(rank));
    look_at(rank, Traffic(problem).received_by(rank));
  }
  const BoundFacts& facts = facts_of(problem.collective).bounds;
  return {{"c1", rounds_to_reach(partners + 1, k), facts.rounds_source}, {"c2", quotient(load, k), facts.volume_source}};
}

std::vector<Bound> bounds_of(const Problem& problem, Count k, std::optional<Count> rounds) {
  switch (facts_of(problem.collective).sizes) {
    case SizeSource::shares: return bounds_of_shares(problem, k);
    case SizeSource::pairs: return bounds_of_pairs(problem, k);
    default: return bounds_of_blocks(problem, k, rounds);
  }
}

}  // namespace

std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds) {
  const Count k = std::max<Count>(1, ports);
  std::vector<Bound> bounds = bounds_of(problem, k, rounds);
  if (has_nothing_to_move(problem))
    for (Bound& bound : bounds) bound.value = 0;
  return bounds;
}

}  // namespace quadrille
