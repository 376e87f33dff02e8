// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of what goes between N nodes. They follow from three arguments:
//
// 1. Rounds. A node that has data can give it to at most k other nodes in a round, if it has k ports. So the nodes that have the
//    data multiply by k + 1 at most, as ranks do [bruck1997, section 2]. What happens within nodes takes no round between nodes.
// 2. Cuts. What the ranks of a node need of other ranks' data enters the node at least once, and what other ranks need of the
//    node's data leaves it at least once. A message of a reduction is as long as the part of the result that it stands for,
//    however many operands are combined in it. All bytes that leave a node enter others. So the busiest node sends at least the
//    N-th part of what all nodes must receive, and receives at least the N-th part of what all must send.
// 3. Combined for all. If every node needs the combination of the vectors of all, each byte of the vector takes 2 (N - 1)
//    messages between nodes: those by which the first node hears of all others, of which each must send one, and then one for each
//    other node, which has not heard of all before [patarasuk2009, with nodes for ranks].
#include <algorithm>
#include <numeric>
#include <set>

#include "cost/bound_arithmetic.hpp"
#include "problem/collective_facts.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// The least bytes out of a node and into it, by cuts.
struct Crossing {
  Bytes out = 0, in = 0;
};

struct NodePair {
  Count from = 0, to = 0;
  auto operator<=>(const NodePair&) const = default;
};

// The least that crosses the borders of each node.
struct Crossings {
  explicit Crossings(const NodeRanks& nodes) : of_node(nodes.node_count()), connected(nodes.node_count()) {}

  ByRank<Crossing> of_node;
  Count connected = 1;  // the most nodes that need the data of one node, or whose data one node needs; that node is included
};

// Each block has one origin and one target. So a node sends and receives what its ranks have for, and get from, other nodes.
Crossings of_pairs(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(nodes);
  std::set<NodePair> pairs;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : Traffic(problem).sent_by(from)) {
      const NodePair pair{nodes.node_of(from), nodes.node_of(share.peer)};
      if (pair.from == pair.to) continue;
      crossings.of_node[pair.from].out += share.bytes;
      crossings.of_node[pair.to].in += share.bytes;
      pairs.insert(pair);
    }
  ByRank<Count> receivers(nodes.node_count()), senders(nodes.node_count());
  crossings.connected = 1;
  for (const NodePair& pair : pairs)
    crossings.connected = std::max({crossings.connected, ++receivers[pair.from] + 1, ++senders[pair.to] + 1});
  return crossings;
}

// The same for blocks of one size, without a look at each.
Crossings of_blocks(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(nodes);
  for (Count node = 0; node < nodes.node_count(); ++node) {
    const Bytes each_way = nodes.size(node) * (problem.ranks - nodes.size(node)) * problem.block_bytes;
    crossings.of_node[node] = {each_way, each_way};
  }
  return crossings;
}

// Combinations of ranks 0 .. r. For each run of consecutive ranks of a node, the node needs the vectors of the other nodes' ranks
// below the run, combined, and the ranks above the run need those of the node's ranks up to its end. So n runs need combinations
// of operands S1, .., Sn of the other side, each of which has all operands of the one before, and more. The messages whose
// operands are all in Si compose the i-th combination. They are at least one more than those for the combination before, as they
// have more operands. So n runs take n vectors.
Crossings of_prefixes(const Problem& problem, const NodeRanks& nodes) {
  Crossings crossings(nodes);
  for (Rank rank = 1; rank < problem.ranks; ++rank) {
    if (nodes.node_of(rank - 1) == nodes.node_of(rank)) continue;
    crossings.of_node[nodes.node_of(rank - 1)].out += problem.block_bytes;
    crossings.of_node[nodes.node_of(rank)].in += problem.block_bytes;
  }
  return crossings;
}

bool moves_vectors(const CollectiveFacts& facts) {
  return facts.input.holding == Holding::one && facts.output.holding == Holding::one;
}

// Shares that are gathered, or vectors that are combined, by all ranks or by the root. A node sends its own, and receives what it
// has not. Collectives that spread shares or a vector are the reverse.
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
  Crossings crossings(nodes);
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
  if (facts.sizes == SizeSource::none) return Crossings(nodes);
  if (facts.sizes == SizeSource::pairs) return of_pairs(problem, nodes);
  if (facts.input.holding == Holding::all && facts.output.holding == Holding::all) return of_blocks(problem, nodes);
  return facts.is_prefix ? of_prefixes(problem, nodes) : of_shares(problem, nodes);
}

}  // namespace

std::vector<Bound> lower_bounds_between_nodes(const Problem& problem, Count node_ports) {
  const NodeRanks nodes(problem);
  const Count node_count = nodes.node_count();
  if (node_count == 1 || has_nothing_to_move(problem))
    return {{"node_rounds", 0, "nothing has to go between nodes"},
            {"node_traffic_out", 0, "nothing has to go between nodes"},
            {"node_traffic_in", 0, "nothing has to go between nodes"}};
  const Crossings crossings = crossings_of(problem, nodes);
  std::vector<Bound> bounds{{"node_rounds", rounds_to_reach(crossings.connected, std::max<Count>(1, node_ports)),
                             "bruck1997, section 2, of nodes: the informed multiply by k + 1 at most"}};
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (facts.sizes == SizeSource::none) return bounds;
  Crossing busiest;
  WideCount all_out = 0, all_in = 0;
  for (const Crossing& crossing : crossings.of_node) {
    busiest = {std::max(busiest.out, crossing.out), std::max(busiest.in, crossing.in)};
    all_out += crossing.out;
    all_in += crossing.in;
  }
  const auto add = [&](const char* figure, Bytes of_one, WideCount of_all_others_way, const char* one, const char* all) {
    bounds.push_back({figure, of_one, one});
    bounds.push_back({figure, quotient(of_all_others_way, node_count), all});
    if (!moves_vectors(facts) || !all_depend_on_all(problem.collective)) return;
    const BlockRatio volume = facts.bounds.volume(node_count);
    bounds.push_back({figure, quotient(WideCount{problem.block_bytes} * volume.times, volume.parts),
                      "patarasuk2009, of nodes: each byte of the vector takes 2 (N - 1) messages of N nodes"});
  };
  add("node_traffic_out", busiest.out, all_in, "what other nodes need of a node", "an equal part of what all nodes must receive");
  add("node_traffic_in", busiest.in, all_out, "what a node needs of other nodes", "an equal part of what all nodes must send");
  return bounds;
}

}  // namespace quadrille
