// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the k-port model [bruck1997, section 2], and lower bounds for the traffic between nodes.
//
// Bounds for the traffic between N nodes follow from three arguments:
//
// 1. Rounds. A node that has data can give it to at most k other nodes in a round, if it has k ports. So a round multiplies the
//    number of nodes that have the data by at most k + 1. The same holds for ranks [bruck1997, section 2]. What happens within
//    nodes takes no round between nodes.
// 2. Cuts. Data of other nodes that a node's ranks need enters the node at least once, and data of the node that other nodes'
//    ranks need leaves the node at least once. A message of a reduction is as long as the part of the result that it stands for,
//    however many operands are combined in it. All bytes that leave a node enter others. So the busiest node sends at least the
//    N-th part of what all nodes must receive, and receives at least the N-th part of what all nodes must send.
// 3. Results for all. If every node needs the combination of all vectors, each byte of the vector takes 2 (N - 1) messages
//    between nodes. Before the first node knows all operands, each other node must have sent a message. After that, each other
//    node must still receive a message, because it did not know all operands earlier [patarasuk2009, with nodes for ranks].
//
// Bounds of matchings are those of cost/matchings.hpp.
#include <algorithm>
#include <numeric>
#include <set>

#include "cost/compound_bound.hpp"
#include "cost/matchings.hpp"
#include "problem/collective_facts.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

using WideCount = Fraction::Wide;

// Returns the fewest rounds in which the data of one party can reach `parties` (ranks, or nodes) on k ports. Each round multiplies
// the number of parties that have the data by at most k + 1.
Count rounds_to_reach(Count parties, Count k) {
  Count rounds = 0;
  for (WideCount reached = 1; reached < parties; reached *= WideCount{k} + 1) ++rounds;
  return rounds;
}

bool has_nothing_to_move(const Problem& problem) {
  if (problem.ranks == 1) return true;
  if (has_pair_counts(problem.collective)) return Traffic(problem).longest() == 0;
  if (is_irregular(problem.collective))
    return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes share) { return share == 0; });
  return problem.block_bytes == 0 && has_blocks(problem.collective);
}

// The certificates of a rank that spreads data to `others` ranks, or collects data from them, and of what leaves or enters a rank.
Bound bound_of_rounds(Count others, Count k, Rank rank, bool outwards, const char* source) {
  return proved("c1", rounds_to_reach(others + 1, k), source,
                {.kind = BoundKind::spread, .members = {rank}, .outwards = outwards, .ports = k});
}
Bound bound_of_volume(WideCount bytes, Count k, Rank rank, bool outwards, const char* source) {
  return proved("c2", Fraction(bytes, k), source,
                {.kind = BoundKind::crossing, .members = {rank}, .outwards = outwards, .ports = k});
}

bool moves_vectors(const CollectiveFacts& facts) {
  return facts.input.holding == Holding::one && facts.output.holding == Holding::one;
}

// Returns a rank that reaches, or hears of, as many ranks as any other, and whether it reaches them. Not for counts of pairs.
Rank hub_of(const Problem& problem) {
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (is_rooted(facts)) return problem.root;
  if (facts.sizes == SizeSource::shares)
    return std::max_element(problem.counts->begin(), problem.counts->end()) - problem.counts->begin();
  return facts.is_prefix ? problem.ranks - 1 : 0;
}
bool hub_spreads(const CollectiveFacts& facts) { return !facts.is_reduction && facts.output.holder != Holder::root; }

std::vector<Bound> bounds_of_blocks(const Problem& problem, Count k, std::optional<Count> rounds) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const CollectiveFacts& collective = facts_of(problem.collective);
  const BoundFacts& facts = collective.bounds;
  const Rank hub = hub_of(problem);
  std::vector<Bound> bounds{bound_of_rounds(facts.connected_ranks(p) - 1, k, hub, hub_spreads(collective), facts.rounds_source)};
  if (!facts.volume) return bounds;
  const BlockRatio volume = facts.volume(p);
  if (moves_vectors(collective) && all_depend_on_all(problem.collective)) {
    const Fraction bytes = Fraction(WideCount{b} * volume.times, volume.parts) * Fraction(1, k);
    bounds.push_back(proved("c2", bytes, facts.volume_source, {.kind = BoundKind::results, .ports = k}));
  } else {
    const bool is_of_other = collective.input.holder == Holder::root && collective.output.holding == Holding::one &&
                             collective.input.holding == Holding::one;  // each rank but the root receives the vector
    bounds.push_back(bound_of_volume(WideCount{b} * volume.times, k,
                                     is_of_other && hub == 0 ? p - 1
                                     : is_of_other           ? 0
                                                             : hub,
                                     collective.input.holding == Holding::all, facts.volume_source));
  }
  if (is_exchange(problem.collective) && rounds && p > 1 && b > 0)
    if (const auto compound = compound_bound(p, k, *rounds, b))
      bounds.push_back(proved("c2", *compound, "bruck1997, theorems 2.5 to 2.9, in as many rounds",
                              {.kind = BoundKind::compound, .ports = k, .rounds = *rounds}));
  return bounds;
}

std::vector<Bound> bounds_of_shares(const Problem& problem, Count k) {
  const CollectiveFacts& collective = facts_of(problem.collective);
  const BoundFacts& facts = collective.bounds;
  const std::vector<Bytes>& shares = *problem.counts;
  const Bytes total = std::accumulate(shares.begin(), shares.end(), Bytes{0});
  const bool outwards = collective.input.holding == Holding::all;
  if (is_rooted(problem.collective)) {
    const Bytes own = shares[index(problem.root)];
    const Count partners = std::count_if(shares.begin(), shares.end(), [](Bytes share) { return share > 0; }) - (own > 0 ? 1 : 0);
    return {bound_of_rounds(partners, k, problem.root, outwards, facts.rounds_source),
            bound_of_volume(total - own, k, problem.root, outwards, facts.volume_source)};
  }
  const Rank least = std::min_element(shares.begin(), shares.end()) - shares.begin();
  return {
      bound_of_rounds(facts.connected_ranks(problem.ranks) - 1, k, hub_of(problem), hub_spreads(collective), facts.rounds_source),
      bound_of_volume(total - shares[index(least)], k, least, outwards, facts.volume_source)};
}

std::vector<Bound> bounds_of_pairs(const Problem& problem, Count k) {
  struct Most {
    Count amount = 0;
    Rank rank = 0;
    bool outwards = true;
  };
  Most partners, load;  // the most ranks that one rank sends to, or receives from, and the most bytes
  const auto look_at = [&](Rank rank, const std::vector<Share>& shares, bool outwards, bool is_one_block) {
    Count others = 0;
    Bytes total = 0;
    for (const Share& share : shares) {
      if (share.peer == rank) continue;
      ++others;
      total = is_one_block ? share.bytes : total + share.bytes;
    }
    if (others > partners.amount) partners = {others, rank, outwards};
    if (total > load.amount) load = {total, rank, outwards};
  };
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    look_at(rank, Traffic(problem).sent_by(rank), true, Traffic(problem).shares_blocks());
    look_at(rank, Traffic(problem).received_by(rank), false, false);
  }
  const BoundFacts& facts = facts_of(problem.collective).bounds;
  return {bound_of_rounds(partners.amount, k, partners.rank, partners.outwards, facts.rounds_source),
          bound_of_volume(load.amount, k, load.rank, load.outwards, facts.volume_source)};
}

std::vector<Bound> bounds_of(const Problem& problem, Count k, std::optional<Count> rounds) {
  switch (facts_of(problem.collective).sizes) {
    case SizeSource::shares: return bounds_of_shares(problem, k);
    case SizeSource::pairs: return bounds_of_pairs(problem, k);
    default: return bounds_of_blocks(problem, k, rounds);
  }
}

// The least bytes that leave a node, and the least that enter it, by cuts.
struct Crossing {
  Bytes out = 0, in = 0;
};

struct NodePair {
  Count from = 0, to = 0;
  auto operator<=>(const NodePair&) const = default;
};

struct Crossings {
  Crossings(const Problem& problem, const NodeRanks& nodes)
      : of_node(nodes.node_count()),
        connected(nodes.node_count()),
        hub(nodes.node_of(hub_of(problem))),
        spreads(hub_spreads(facts_of(problem.collective))) {}

  ByRank<Crossing> of_node;
  Count connected = 1;   // the most nodes that need the data of one node, or whose data one node needs; that node is included
  Count hub = 0;         // this node
  bool spreads = false;  // does the hub give data to them?
};

// Each block has one origin and one target. So a node sends what its ranks have for other nodes, and receives what its ranks get
// from other nodes. A shared block has several targets. It has to leave its node once, and to enter each other node with targets
// once.
Crossings of_pairs(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(problem, nodes);
  std::set<NodePair> pairs;
  const Traffic traffic(problem);
  for (Rank from = 0; from < problem.ranks; ++from) {
    std::set<Count> entered;  // nodes that this rank's shared block enters
    for (const Share& share : traffic.sent_by(from)) {
      const NodePair pair{nodes.node_of(from), nodes.node_of(share.peer)};
      if (pair.from == pair.to) continue;
      pairs.insert(pair);
      if (traffic.shares_blocks() && !entered.insert(pair.to).second) continue;
      if (entered.size() <= 1) crossings.of_node[pair.from].out += share.bytes;
      crossings.of_node[pair.to].in += share.bytes;
    }
  }
  ByRank<Count> receivers(nodes.node_count()), senders(nodes.node_count());
  crossings.connected = 1;
  for (const NodePair& pair : pairs)
    for (const auto& [count, node, spreads] :
         {std::tuple(++receivers[pair.from], pair.from, true), std::tuple(++senders[pair.to], pair.to, false)})
      if (count + 1 > crossings.connected) crossings.connected = count + 1, crossings.hub = node, crossings.spreads = spreads;
  return crossings;
}

// The same for blocks of equal size, without a loop over the blocks.
Crossings of_blocks(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(problem, nodes);
  for (Count node = 0; node < nodes.node_count(); ++node) {
    const Bytes each_way = nodes.size(node) * (problem.ranks - nodes.size(node)) * problem.block_bytes;
    crossings.of_node[node] = {each_way, each_way};
  }
  return crossings;
}

// Rank r needs the combination of ranks 0 .. r. For each run of consecutive ranks on a node, the node needs the combined vectors
// of the ranks below the run that are on other nodes. The ranks above the run need the combined vectors of the node's ranks up to
// the end of the run. So n runs need n combinations, whose sets of operands S1, .., Sn grow. Only messages with no operands
// outside Si can compose the i-th combination. At least one of these messages has an operand outside S(i-1), so it is not among
// the messages for the combination before. So n runs take n vectors.
Crossings of_prefixes(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(problem, nodes);
  for (Rank rank = 1; rank < problem.ranks; ++rank) {
    if (nodes.node_of(rank - 1) == nodes.node_of(rank)) continue;
    crossings.of_node[nodes.node_of(rank - 1)].out += problem.block_bytes;
    crossings.of_node[nodes.node_of(rank)].in += problem.block_bytes;
  }
  return crossings;
}

// Shares that are gathered, or vectors that are combined, by all ranks or by the root. A node sends its own data and receives all
// other data. In collectives that spread shares or a vector, the two directions are exchanged.
Crossings of_shares(const Problem& problem, const NodeRanks& nodes) {
  const CollectiveFacts& facts = facts_of(problem.collective);
  const bool has_root = is_rooted(problem.collective);
  const bool spreads = facts.input.holding == Holding::all || facts.input.holder == Holder::root;
  ByRank<Bytes> own(nodes.node_count(), moves_vectors(facts) ? problem.block_bytes : 0);
  Bytes all = 0;
  for (Rank rank = 0; rank < problem.ranks && !moves_vectors(facts); ++rank) {
    own[nodes.node_of(rank)] += share_bytes(problem, rank);
    all += share_bytes(problem, rank);
  }
  Crossings crossings(problem, nodes);
  for (Count node = 0; node < nodes.node_count(); ++node) {
    Crossing& crossing = crossings.of_node[node];
    const bool is_root = has_root && node == nodes.node_of(problem.root);
    if (!is_root) crossing.out = own[node];
    if (!has_root || is_root) crossing.in = moves_vectors(facts) ? problem.block_bytes : all - own[node];
    if (has_root && !is_root && own[node] == 0) --crossings.connected;
    if (spreads) std::swap(crossing.out, crossing.in);
  }
  return crossings;
}

Crossings crossings_of(const Problem& problem, const NodeRanks& nodes) {
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (facts.sizes == SizeSource::none) return Crossings(problem, nodes);
  if (facts.sizes == SizeSource::pairs) return of_pairs(problem, nodes);
  if (facts.input.holding == Holding::all && facts.output.holding == Holding::all) return of_blocks(problem, nodes);
  return facts.is_prefix ? of_prefixes(problem, nodes) : of_shares(problem, nodes);
}

}  // namespace

std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds) {
  const Count k = std::max<Count>(1, ports);
  std::vector<Bound> bounds = bounds_of(problem, k, rounds);
  if (has_nothing_to_move(problem))
    for (Bound& bound : bounds) bound.value = 0, bound.exact = 0;
  return bounds;
}

std::vector<Bound> lower_bounds_between_nodes(const Problem& problem, Count node_ports) {
  const NodeRanks nodes(problem);
  const Count node_count = nodes.node_count();
  if (node_count == 1 || has_nothing_to_move(problem))
    return {{"node_rounds", 0, "nothing has to go between nodes"},
            {"node_traffic_out", 0, "nothing has to go between nodes"},
            {"node_traffic_in", 0, "nothing has to go between nodes"}};
  const Crossings crossings = crossings_of(problem, nodes);
  const Count k = std::max<Count>(1, node_ports);
  std::vector<Bound> bounds{
      proved("node_rounds", rounds_to_reach(crossings.connected, k),
             "bruck1997, section 2, of nodes: the informed multiply by k + 1 at most",
             {.kind = BoundKind::spread, .members = {crossings.hub}, .outwards = crossings.spreads, .ports = k})};
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (facts.sizes == SizeSource::none) return bounds;
  Count most_out = 0, most_in = 0;  // nodes
  WideCount all_out = 0, all_in = 0;
  for (Count node = 0; node < node_count; ++node) {
    if (crossings.of_node[node].out > crossings.of_node[most_out].out) most_out = node;
    if (crossings.of_node[node].in > crossings.of_node[most_in].in) most_in = node;
    all_out += crossings.of_node[node].out;
    all_in += crossings.of_node[node].in;
  }
  const auto add = [&](const char* figure, bool out, Count busiest, Bytes bytes, WideCount of_all_other_way, const char* one,
                       const char* all) {
    bounds.push_back(proved(figure, bytes, one, {.kind = BoundKind::crossing, .members = {busiest}, .outwards = out}));
    bounds.push_back(
        proved(figure, Fraction(of_all_other_way, node_count), all, {.kind = BoundKind::equal_part, .outwards = !out}));
    if (!moves_vectors(facts) || !all_depend_on_all(problem.collective)) return;
    const BlockRatio volume = facts.bounds.volume(node_count);
    bounds.push_back(proved(figure, Fraction(WideCount{problem.block_bytes} * volume.times, volume.parts),
                            "patarasuk2009, of nodes: each byte of the vector takes 2 (N - 1) messages of N nodes",
                            {.kind = BoundKind::results}));
  };
  add("node_traffic_out", true, most_out, crossings.of_node[most_out].out, all_in, "what other nodes need of a node",
      "an equal part of what all nodes must receive");
  add("node_traffic_in", false, most_in, crossings.of_node[most_in].in, all_out, "what a node needs of other nodes",
      "an equal part of what all nodes must send");
  return bounds;
}

std::vector<Bound> lower_bounds_by_matchings(const Problem& problem) {
  constexpr Count most_nodes = 4096;  // limit, because the exchanges of each pair of nodes are listed
  if (!is_exchange(problem.collective)) return {};
  const NodeRanks nodes(problem);
  const Count node_count = nodes.node_count();
  std::vector<PairLoad> loads;
  if (has_pair_counts(problem.collective)) {
    std::set<std::pair<Rank, Rank>> pairs;
    for (Rank from = 0; from < problem.ranks; ++from)
      for (const Share& share : Traffic(problem).sent_by(from)) pairs.insert(std::minmax(from, share.peer));
    for (const auto& [one, other] : pairs)
      if (nodes.node_of(one) != nodes.node_of(other)) loads.push_back({nodes.node_of(one), nodes.node_of(other), 1});
  } else if (problem.block_bytes > 0) {
    if (node_count > most_nodes)
      throw Error(ErrorCode::too_large, "bounds of matchings are computed for at most 4096 nodes; name fewer nodes");
    for (Count one = 0; one < node_count; ++one)
      for (Count other = one + 1; other < node_count; ++other) loads.push_back({one, other, nodes.size(one) * nodes.size(other)});
  }
  MatchingBounds bounds = matching_bounds(std::move(loads));
  std::vector<Bound> list{proved("matchings", bounds.degree, "sanders2002, section 3: the exchanges of the busiest node",
                                 {.kind = BoundKind::crossing, .members = {bounds.busiest}})};
  const char* const of_odd_set = "edmonds1965: n nodes, n odd, have (n - 1) / 2 exchanges with each other at a time";
  if (bounds.members.empty()) {
    list.push_back({"matchings", 0, of_odd_set});
  } else {
    const Fraction steps(bounds.within_set, size(bounds.members) / 2);
    list.push_back(proved("matchings", steps, of_odd_set, {.kind = BoundKind::odd_set, .members = std::move(bounds.members)}));
  }
  return list;
}

}  // namespace quadrille
