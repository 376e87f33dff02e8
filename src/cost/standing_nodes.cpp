// SPDX-License-Identifier: BSD-3-Clause
#include "cost/standing_nodes.hpp"

#include <algorithm>

namespace quadrille {
namespace {

constexpr std::size_t most_classes = 16;

class Classes {
 public:
  Classes(const Symmetry& symmetry, const NodeRanks& nodes)
      : symmetry_(symmetry), nodes_(nodes), is_reached_(index(nodes.node_count())) {}

  std::vector<Count> run() {
    std::vector<Count> standing;
    for (Count node = 0; node < nodes_.node_count(); ++node) {
      if (is_reached_[index(node)]) continue;
      const auto takes_there = [&](Count from) { return find_move(from, node); };
      if (std::none_of(standing.begin(), standing.end(), takes_there)) standing.push_back(node);
      if (standing.size() > most_classes) return {};
      reach(node);
    }
    return standing;
  }

 private:
  using Move = ByRank<Count>;  // the node to which a group element maps each node

  // Looks for a group element that maps node `from` to node `to`, and every node to a node. If there is one,
  // stores it and returns true.
  bool find_move(Count from, Count to) {
    if (nodes_.size(from) != nodes_.size(to)) return false;
    const Rank first = nodes_.ranks(from)[0];
    for (const Rank rank : nodes_.ranks(to)) {
      if (symmetry_.representative_of(rank) != symmetry_.representative_of(first)) continue;
      if (Move move = move_of(first, rank); !move.empty()) return moves_.push_back(std::move(move)), true;
    }
    return false;
  }

  // Returns the node to which the element that maps rank `from` to rank `to` maps each node. Empty if the element
  // does not map nodes to nodes.
  Move move_of(Rank from, Rank to) const {
    Move move;
    for (Count node = 0; node < nodes_.node_count(); ++node) {
      const auto target = [&](Rank rank) { return nodes_.node_of(symmetry_.image(to, symmetry_.preimage(from, rank))); };
      const auto ranks = nodes_.ranks(node);
      const Count there = target(ranks[0]);
      if (nodes_.size(there) != nodes_.size(node)) return {};
      if (std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) { return target(rank) != there; })) return {};
      move.push_back(there);
    }
    return move;
  }

  // Marks the node and all nodes that the known moves reach from it.
  void reach(Count node) {
    std::vector<Count> next;
    const auto mark = [&](Count reached) {
      if (is_reached_[index(reached)]) return;
      is_reached_[index(reached)] = true;
      next.push_back(reached);
    };
    mark(node);
    for (Count each = 0; each < nodes_.node_count(); ++each)  // a move found since may reach more nodes from a marked node
      if (is_reached_[index(each)] && each != node) next.push_back(each);
    while (!next.empty()) {
      const Count here = next.back();
      next.pop_back();
      for (const Move& move : moves_) mark(move[here]);
    }
  }

  const Symmetry& symmetry_;
  const NodeRanks& nodes_;
  std::vector<bool> is_reached_;
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Count> standing_nodes(const Symmetry& symmetry, const NodeRanks& nodes) { return Classes(symmetry, nodes).run(); }

}  // namespace quadrille
