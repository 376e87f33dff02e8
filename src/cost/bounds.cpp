// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the k-port model [bruck1997, section 2].
#include <algorithm>
#include <numeric>

#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

__extension__ typedef __int128 Wide;

// Fewest rounds in which one rank's data can reach p ranks on k ports: the informed multiply by k + 1 a round.
Count rounds_to_reach(Count p, Count k) {
  Count rounds = 0;
  for (Wide reached = 1; reached < p; reached *= k + 1) ++rounds;
  return rounds;
}

// Rounded up.
Bytes quotient(Wide dividend, Wide divisor) { return static_cast<Bytes>((dividend + divisor - 1) / divisor); }

// Theorems 2.5, 2.7 and 2.9 in one integer form: in T rounds at most C(T, f) k^f destinations are f hops away, so the
// p - 1 blocks of a rank make at least W hops, the sum of the p - 1 smallest hop counts, over k ports.
// Nothing if p - 1 destinations cannot be reached in T rounds.
std::optional<Bytes> compound_bound(Count p, Count k, Count rounds, Bytes block_bytes) {
  Wide left = p - 1, hops = 0, destinations = 1;
  for (Count f = 1; f <= rounds && left > 0; ++f) {
    destinations = destinations * (rounds - f + 1) * k / f;
    const Wide taken = std::min(left, destinations);
    hops += taken * f;
    left -= taken;
  }
  if (left > 0) return std::nullopt;
  return quotient(hops * block_bytes, k);
}

// Of a collective whose blocks, or vectors, have one size: of p ranks, b bytes, on k ports.
struct RegularBounds {
  Collective collective;
  const char* of_rounds;
  Bytes (*volume)(Wide p, Wide b, Wide k);  // null: nothing is moved
  const char* of_volume;
};

Bytes one_vector(Wide, Wide b, Wide k) { return quotient(b, k); }
Bytes other_blocks(Wide p, Wide b, Wide k) { return quotient(b * (p - 1), k); }
Bytes vector_there_and_back(Wide p, Wide b, Wide k) { return quotient(2 * b * (p - 1), p * k); }

// In a reduction each byte of a message stands for one byte of the result, however many ranks contributed to it. So collecting
// needs as many messages as distributing.
constexpr RegularBounds regular_bounds[] = {
    {Collective::broadcast, "bruck1997, proposition 2.1: the informed multiply by k + 1 at most", one_vector,
     "a rank receives the vector on k ports"},
    {Collective::scatter, "bruck1997, proposition 2.1: the root reaches, or hears of, all ranks", other_blocks,
     "grama2003: the root sends, or receives, p - 1 blocks on k ports"},
    {Collective::gather, "bruck1997, proposition 2.1: the root reaches, or hears of, all ranks", other_blocks,
     "grama2003: the root sends, or receives, p - 1 blocks on k ports"},
    {Collective::barrier, "bruck1997, proposition 2.3: all ranks hear of all", nullptr, ""},
    {Collective::alltoall, "bruck1997, propositions 2.1 and 2.3", other_blocks, "bruck1997, propositions 2.2 and 2.4"},
    {Collective::allgather, "bruck1997, propositions 2.1 and 2.3", other_blocks, "bruck1997, propositions 2.2 and 2.4"},
    {Collective::reduce, "bruck1997, proposition 2.1: the root hears of all ranks", one_vector,
     "the root receives the other ranks' vectors, combined, on k ports"},
    {Collective::scan, "bruck1997, proposition 2.1: the last rank hears of all others", one_vector,
     "a rank receives the vectors of those below, combined, on k ports"},
    {Collective::exscan, "bruck1997, proposition 2.1: the last rank hears of all others", one_vector,
     "a rank receives the vectors of those below, combined, on k ports"},
    {Collective::allreduce, "bruck1997, proposition 2.3: all ranks hear of all", vector_there_and_back,
     "patarasuk2009: each byte of the vector takes 2 (p - 1) messages, sent by p ranks on k ports"},
    {Collective::reduce_scatter, "bruck1997, proposition 2.1: the owner of a block hears of all ranks", other_blocks,
     "bruck1997, proposition 2.2: a rank gives to the other p - 1 blocks on k ports"},
};

std::vector<Bound> bounds_of_regular(const Problem& problem, Count k, std::optional<Count> rounds) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const RegularBounds& known = *std::find_if(std::begin(regular_bounds), std::end(regular_bounds),
                                             [&](const RegularBounds& row) { return row.collective == problem.collective; });
  std::vector<Bound> bounds{{"c1", rounds_to_reach(p, k), known.of_rounds}};
  if (known.volume) bounds.push_back({"c2", known.volume(p, b, k), known.of_volume});
  if (problem.collective == Collective::alltoall && rounds && p > 1 && b > 0)
    if (const auto compound = compound_bound(p, k, *rounds, b))
      bounds.push_back({"c2", *compound, "bruck1997, theorems 2.5 to 2.9, in as many rounds"});
  return bounds;
}

std::vector<Bound> bounds_of_shares(const Problem& problem, Count k) {
  const std::vector<Bytes>& shares = *problem.counts;
  const Bytes total = std::accumulate(shares.begin(), shares.end(), Bytes{0});
  if (is_rooted(problem.collective)) {
    const Bytes own = shares[index(problem.root)];
    const Count partners = std::count_if(shares.begin(), shares.end(), [](Bytes share) { return share > 0; }) - (own > 0 ? 1 : 0);
    return {{"c1", rounds_to_reach(partners + 1, k), "bruck1997, proposition 2.1: the root and all who have a share"},
            {"c2", quotient(total - own, k), "grama2003: the root sends, or receives, the other shares on k ports"}};
  }
  const Count all = rounds_to_reach(problem.ranks, k);
  const Bytes others = quotient(total - *std::min_element(shares.begin(), shares.end()), k);
  if (problem.collective == Collective::allgatherv)
    return {{"c1", all, "bruck1997, proposition 2.3: a share reaches all ranks"},
            {"c2", others, "bruck1997, proposition 2.4: a rank receives the other shares on k ports"}};
  return {{"c1", all, "bruck1997, proposition 2.1: the owner of a share hears of all ranks"},
          {"c2", others, "bruck1997, proposition 2.2: a rank gives to the other shares on k ports"}};
}

std::vector<Bound> bounds_of_traffic(const Problem& problem, Count k) {
  Count partners = 0;  // of the rank that has the most to send to, or to hear from
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
  return {{"c1", rounds_to_reach(partners + 1, k), "bruck1997, propositions 2.1 and 2.3: a rank and all its partners"},
          {"c2", quotient(load, k), "a rank sends, or receives, its own on k ports"}};
}

bool has_nothing_to_move(const Problem& problem) {
  if (problem.ranks == 1) return true;
  if (problem.collective == Collective::alltoallv) return Traffic(problem).longest() == 0;
  if (is_irregular(problem.collective))
    return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes share) { return share == 0; });
  return problem.block_bytes == 0 && has_blocks(problem.collective);
}

}  // namespace

std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds) {
  const Count k = std::max<Count>(1, ports);  // several may lead to the same rank
  std::vector<Bound> bounds = problem.collective == Collective::alltoallv ? bounds_of_traffic(problem, k)
                              : is_irregular(problem.collective)          ? bounds_of_shares(problem, k)
                                                                          : bounds_of_regular(problem, k, rounds);
  if (has_nothing_to_move(problem))
    for (Bound& bound : bounds) bound.value = 0;
  return bounds;
}

}  // namespace quadrille
