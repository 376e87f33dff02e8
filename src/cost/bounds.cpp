// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the k-port model [bruck1997, section 2].
#include <algorithm>
#include <numeric>

#include "quadrille/cost.hpp"
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
  return static_cast<Bytes>((hops * block_bytes + k - 1) / k);
}

}  // namespace

std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count k = std::max<Count>(1, ports);  // several may lead to the same rank
  std::vector<Bound> bounds;
  const auto no_share = [&] {
    if (problem.collective == Collective::alltoallv) return Traffic(problem).longest() == 0;
    return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes c) { return c == 0; });
  };
  const bool nothing_to_move = p == 1 || (is_irregular(problem.collective) ? no_share() : b == 0 && has_blocks(problem.collective));
  const auto add = [&](const char* figure, Count value, const char* source) {
    bounds.push_back({figure, nothing_to_move ? 0 : value, source});
  };
  const auto part_of = [&](Bytes amount) { return ceil_divide(amount, k); };  // of what one rank sends, or receives, on k ports
  switch (problem.collective) {
    case Collective::broadcast:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the informed multiply by k + 1 at most");
      add("c2", part_of(b), "a rank receives the vector on k ports");
      break;
    case Collective::scatter:
    case Collective::gather:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the root reaches, or hears of, all ranks");
      add("c2", static_cast<Bytes>((Wide{b} * (p - 1) + k - 1) / k),
          "grama2003: the root sends, or receives, p - 1 blocks on k ports");
      break;
    case Collective::scatterv:
    case Collective::gatherv: {
      Count partners = 0;  // of the root, that have a share
      Bytes total = 0;
      for (Rank rank = 0; rank < p; ++rank)
        if (const Bytes share = (*problem.counts)[static_cast<std::size_t>(rank)]; rank != problem.root && share > 0) {
          ++partners;
          total += share;
        }
      bounds.push_back({"c1", rounds_to_reach(partners + 1, k), "bruck1997, proposition 2.1: the root and all who have a share"});
      bounds.push_back({"c2", part_of(total), "grama2003: the root sends, or receives, the other shares on k ports"});
      break;
    }
    case Collective::allgatherv: {
      const Bytes total = std::accumulate(problem.counts->begin(), problem.counts->end(), Bytes{0});
      const Bytes least = *std::min_element(problem.counts->begin(), problem.counts->end());
      bounds.push_back({"c1", total > 0 ? rounds_to_reach(p, k) : 0, "bruck1997, proposition 2.3: a share reaches all ranks"});
      bounds.push_back({"c2", part_of(total - least), "bruck1997, proposition 2.4: a rank receives the other shares on k ports"});
      break;
    }
    case Collective::alltoallv: {
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
      for (Rank rank = 0; rank < p; ++rank) {
        look_at(rank, Traffic(problem).sent_by(rank));
        look_at(rank, Traffic(problem).received_by(rank));
      }
      bounds.push_back(
          {"c1", rounds_to_reach(partners + 1, k), "bruck1997, propositions 2.1 and 2.3: a rank and all its partners"});
      bounds.push_back({"c2", part_of(load), "a rank sends, or receives, its own on k ports"});
      break;
    }
    case Collective::barrier: add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.3: all ranks hear of all"); break;
    case Collective::alltoall:
    case Collective::allgather:
      add("c1", rounds_to_reach(p, k), "bruck1997, propositions 2.1 and 2.3");
      add("c2", static_cast<Bytes>((Wide{b} * (p - 1) + k - 1) / k), "bruck1997, propositions 2.2 and 2.4");
      if (problem.collective == Collective::alltoall && rounds && !nothing_to_move)
        if (const auto compound = compound_bound(p, k, *rounds, b))
          add("c2", *compound, "bruck1997, theorems 2.5 to 2.9, in as many rounds");
      break;
    // A message brings one byte for a byte of the vector, be it of one rank or combined: what several ranks give takes as many
    // messages to bring together as to bring apart.
    case Collective::reduce:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the root hears of all ranks");
      add("c2", part_of(b), "the root receives the other ranks' vectors, combined, on k ports");
      break;
    case Collective::scan:
    case Collective::exscan:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the last rank hears of all others");
      add("c2", part_of(b), "a rank receives the vectors of those below, combined, on k ports");
      break;
    case Collective::allreduce:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.3: all ranks hear of all");
      add("c2", static_cast<Bytes>((Wide{2} * b * (p - 1) + Wide{p} * k - 1) / (Wide{p} * k)),
          "patarasuk2009: each byte of the vector takes 2 (p - 1) messages, sent by p ranks on k ports");
      break;
    case Collective::reduce_scatter:
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the owner of a block hears of all ranks");
      add("c2", static_cast<Bytes>((Wide{b} * (p - 1) + k - 1) / k),
          "bruck1997, proposition 2.2: a rank gives to the other p - 1 blocks on k ports");
      break;
    case Collective::reduce_scatterv: {
      const Bytes total = std::accumulate(problem.counts->begin(), problem.counts->end(), Bytes{0});
      const Bytes least = *std::min_element(problem.counts->begin(), problem.counts->end());
      add("c1", rounds_to_reach(p, k), "bruck1997, proposition 2.1: the owner of a share hears of all ranks");
      add("c2", part_of(total - least), "bruck1997, proposition 2.2: a rank gives to the other shares on k ports");
      break;
    }
  }
  return bounds;
}

}  // namespace quadrille
