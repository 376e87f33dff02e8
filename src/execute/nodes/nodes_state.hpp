// SPDX-License-Identifier: BSD-3-Clause
// What the parts of an exchange between nodes share: which rank is on which node, the messages between nodes, and the running
// execution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "execute/nodes/far_edges.hpp"
#include "execute/nodes/node_board.hpp"
#include "execute/shared/wait/space.hpp"
#include "patterns/packing_rule.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Maps ranks to nodes, for one rank. A rank's place is its number among the ranks of its node.
class NodeMap {
 public:
  // `nodes`: by rank, its node.
  NodeMap(const ByRank<Count>& nodes, Rank me) : nodes_(nodes), own_(nodes_.node_of(me)) {}

  Count rank_count() const { return nodes_.rank_count(); }
  Count most_ranks() const { return nodes_.largest(); }
  Count count() const { return nodes_.node_count(); }
  Count own() const { return own_; }
  Count ranks_of(Count node) const { return nodes_.size(node); }
  Count node_of(Rank rank) const { return nodes_.node_of(rank); }
  Rank place_of(Rank rank) const { return nodes_.index_of(rank); }
  Rank rank_at(Count node, Rank place) const { return nodes_.ranks(node)[index(place)]; }

  // packing_rule.hpp defines the order of partners and the leaders.
  Count node_after(Count steps) const { return quadrille::node_after(own_, steps, count()); }
  Count steps_to(Count node) const { return steps_between(own_, node, count()); }
  // Numbers the ranks of a node that may lead for partner `other`: returns the number of a rank, or the rank with a number.
  Count number_to_lead(Count node, Rank place, Count other) const {
    return number_in_circle(place, begin_of_circle_for(node, other), ranks_of(node));
  }
  Rank leader(Count node, Count other, Count number) const {
    return rank_at(node, place_in_circle(number, begin_of_circle_for(node, other), ranks_of(node)));
  }

 private:
  Rank begin_of_circle_for(Count node, Count other) const {
    return begin_of_circle(steps_between(node, other, count()), ranks_of(node));
  }

  const NodeRanks nodes_;
  const Count own_;
};

// Short edges between this rank and others, ordered by the steps to the other rank's node, then by that rank's place. Edges of
// one rank keep their order. Each edge has a key.
class ShortEdges {
 public:
  using Keys = std::span<const std::uint64_t>;

  void clear() { keys_.clear(); }
  void add(Count steps, Rank place, std::size_t edge) {
    keys_.push_back(static_cast<std::uint64_t>(steps) << 42 | static_cast<std::uint64_t>(place) << 21 | edge);
  }
  bool is_empty() const { return keys_.empty(); }
  void sort() { std::sort(keys_.begin(), keys_.end()); }
  // Calls visit(steps to a node, keys of that node).
  void by_node(auto&& visit) const {
    for (auto first = keys_.begin(); first != keys_.end();) {
      const std::uint64_t steps = *first >> 42;
      const auto last = std::find_if(first, keys_.end(), [&](std::uint64_t key) { return key >> 42 != steps; });
      visit(static_cast<Count>(steps), Keys(first, last));
      first = last;
    }
  }
  static Rank place_of(std::uint64_t key) { return static_cast<Rank>(key >> 21 & 0x1fffff); }
  static std::size_t edge_of(std::uint64_t key) { return key & 0x1fffff; }
  Bytes memory_bytes() const { return static_cast<Bytes>(keys_.capacity() * sizeof(std::uint64_t)); }

 private:
  std::vector<std::uint64_t> keys_;
};

struct NodesState {
  // The name of a received message: the index of its edge; `packed_name` combined with a node; or `lost`.
  static constexpr std::uint32_t packed_name = std::uint32_t{1} << 31, lost = packed_name - 1;

  struct ToUnpack {  // a packed message with edges for this rank; a leader of this node receives it
    Count node;
    ShortEdges::Keys edges;
  };

  NodesState(SharedSpace& own_node, NodeMap ranks, const PackingRule& packing, std::unique_ptr<FarEdges> far,
             const MessageWindow& window)
      : node(own_node),
        map(std::move(ranks)),
        rule(packing),
        queue(std::move(far), window, me(), map.rank_count()),
        board(node, map.count(), rule.most_bytes) {}

  Rank me() const { return map.rank_at(map.own(), node.rank()); }
  FarEdges& far() { return queue.far(); }
  bool is_short(Bytes bytes) const { return edges->may_pack && bytes <= rule.longest_short; }
  FarEdges::Kind kind(FarEdges::Form form) const {
    return {form, form == FarEdges::Form::straight ? exchange - decision : decision};
  }
  // Adds up the rows of the first `places` ranks of this node.
  EdgeSummary sum(Count other, EdgeSummary NodeBoard::Row::*direction, Rank places) const {
    EdgeSummary sum;
    for (Rank place = 0; place < places; ++place) sum.add(board.row(place, other, decision).*direction);
    return sum;
  }
  PackedMessage packed_from(Count other, Bytes bytes) const { return {board.incoming(other), bytes, map.ranks_of(other)}; }

  SharedSpace& node;
  const NodeMap map;
  const PackingRule rule;
  FarQueue queue;
  NodeBoard board;

  // The execution.
  const Edges* edges = nullptr;
  std::uint64_t exchange = 0, decision = 0;  // numbers of this exchange: among all exchanges, and among those that may pack
  bool is_decided = true;                    // is it decided which short edges of this rank are packed?
  std::vector<ToUnpack> to_unpack;
};

}  // namespace quadrille
