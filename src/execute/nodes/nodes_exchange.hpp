// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges (execute/executions/exchanger.hpp) among ranks on several nodes. Edges within a node are an exchange of that
// node (shared/unplanned/exchange.hpp). Edges between nodes take one of two ways:
//
//   early    Long edges, and all edges of an exchange that is not packed (Edges::may_pack). Both ends know an edge's length, so
//            both know that it is early, and start its message at once.
//   decided  Short edges. The ranks of a node show each other what they have for each other node (node_board.hpp). So both nodes
//            of a pair know, each from its own side and without a message, how many edges and bytes go from one to the other, and
//            between which ranks. From this and a rule both decide the same (node_board.hpp): one packed message from leader to
//            leader, or a message for each edge. A rank also shows the edges themselves, if they are few: then a leader needs
//            nothing more of it.
//
// So a rank waits for the ends of its own edges. A rank with short edges to or from other nodes also waits until all ranks of its
// node have entered. If it is a leader, it also waits until the packed messages of its node that it sends and receives are done.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "execute/nodes/far_edges.hpp"
#include "execute/nodes/node_board.hpp"
#include "execute/shared/unplanned/exchange.hpp"
#include "patterns/packing_rule.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// Which ranks are on which node, seen from one rank. A rank's place is its number among the ranks of its node.
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
  // A rank's number among those of its node that may lead for the partner `other`, and the rank with a number.
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

class NodesExchange final : public EdgesExecutable {
 public:
  // Collective over the ranks of the node, which `node` and `map` list in the same order. All ranks of all nodes give the same
  // rule. Throws on all ranks of the node or on none.
  NodesExchange(std::shared_ptr<SharedSpace> node, const CopyCosts& costs, NodeMap map, const PackingRule& rule,
                std::unique_ptr<FarEdges> far, const MessageWindow& window = {});
  ~NodesExchange() override;

  Bytes memory_bytes() const override;

 private:
  using Form = FarEdges::Form;
  // A received message's name: an edge, this and a node, or `lost`.
  static constexpr std::uint32_t packed_name = std::uint32_t{1} << 31, lost = packed_name - 1;
  static constexpr const char* advice = "let both ends of each edge name the same number of bytes";

  void start(const Edges& edges) override;
  bool proceed() override;
  void complete() override;
  void end() override;
  void give_up(const Error& why) noexcept override;
  void throw_lost() const override { node_.throw_lost(); }

  // Short edges between this rank and others, in the order of the steps to the other's node, and then of its place. Edges of one
  // rank keep their order.
  class ShortEdges {
   public:
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
        visit(static_cast<Count>(steps), std::span(first, last));
        first = last;
      }
    }
    static Rank place_of(std::uint64_t key) { return static_cast<Rank>(key >> 21 & 0x1fffff); }
    static std::size_t edge_of(std::uint64_t key) { return key & 0x1fffff; }
    Bytes memory_bytes() const { return memory_bytes_of(keys_); }

   private:
    std::vector<std::uint64_t> keys_;
  };
  using Keys = std::span<const std::uint64_t>;
  struct ToPack {  // a packed message that this rank sends, as the leader, once it has all edges
    Count node;
    Bytes bytes;
    Rank to;
  };
  struct ToUnpack {  // a packed message that others or this rank receive, and that has edges for this rank
    Count node;
    Keys edges;
  };

  struct Found {  // a message that this rank has not asked for
    Form form;
    Rank from;
    Bytes bytes;
  };

  bool is_short(Bytes bytes) const { return edges_->may_pack && bytes <= rule_.longest_short; }
  FarEdges::Kind kind(Form form) const { return {form, form == Form::straight ? exchange_ - decision_ : decision_}; }
  Rank me() const { return map_.rank_at(map_.own(), node_.rank()); }
  void meet();
  void list(const Edges& edges);
  bool advance_all();
  void advance_near();
  EdgeSummary summary_of(Rank from, Rank to, Bytes bytes) const;  // of one short edge
  void enter();
  void prepare_parts(std::span<std::byte> parts);
  void list_packed(Keys edges);
  void decide();
  EdgeSummary sum(Count node, EdgeSummary NodeBoard::Row::*direction, Rank places) const;
  void send_decided(Count node, Keys edges);
  void expect_decided(Count node, Keys edges);
  void lead(Count node, const EdgeTotals& totals, Rank to);
  void send_packed();
  void take(const FarEdges::Arrival& arrival);
  void unpack();
  void unpack(const ToUnpack& message, const PackedMessage& packed);
  void unpack(Keys keys, const PackedMessage& packed, PackedMessage::Range found);
  void look_for_absent();
  void note_difference(std::size_t edge, Bytes sent);
  void compare_totals(Count node, const PackedMessage& packed);
  // While this rank waits for long (differing_ends.cpp).
  void look_for_other_forms();
  void look_for_others_of_mates();
  void look_for_own_edges();
  std::optional<Bytes> packed_instead(Rank from) const;
  void note_missing();
  std::optional<Found> found_instead_of(std::uint64_t what);
  [[noreturn]] void fail_because_of(std::uint64_t what, const Found& found) const;

  const std::shared_ptr<SharedSpace> kept_;
  SharedSpace& node_;
  const NodeMap map_;
  const PackingRule rule_;
  FarQueue queue_;
  FarEdges& far_;
  NodeBoard board_;
  SharedExchange near_;
  bool has_board_ = false;  // otherwise the constructor has thrown

  // One execution.
  const Edges* edges_ = nullptr;
  std::uint64_t exchange_ = 0, decision_ = 0;  // numbers of this exchange, and among those that may pack
  ByRank<NodeBoard::Row> rows_;                // by node: this rank's part of the short edges
  bool has_rows_ = false, has_entered_ = true, is_decided_ = true;
  bool packs_later_ = false;  // has this rank packed edges that were not among its parts?
  EdgeLists near_lists_;
  Edges near_edges_;
  bool is_near_over_ = true;
  std::exception_ptr near_error_;  // a misuse within the node, which is thrown when the other edges are complete
  ShortEdges out_, in_;
  std::vector<PackedEdge> packed_;
  std::vector<ToPack> to_pack_;
  std::vector<ToUnpack> to_unpack_;
  EdgeDifference difference_;
  std::string more_than_expected_;  // a sentence for `end`, if a packed message has more edges for a rank than it expects
  std::uint64_t looks_for_others_ = 0;
  bool has_noted_ = false;           // does the board show what this rank misses?
  std::vector<std::uint32_t> open_;  // names of the receives that are open in this look
  std::vector<std::size_t> absent_;  // received edges of a wrong program that were not in the packed message
  std::chrono::steady_clock::time_point absent_since_;
  std::vector<std::vector<std::byte>> lost_;  // messages of a wrong program
  std::vector<Rank> suspects_;                // whose messages of the other form this rank has found in its last look
  ByRank<std::uint64_t> suspicions_;  // by place: what that rank missed when this one last found the other form; 0: not found
  std::optional<LongSince> waits_;    // in this execution
  LongSince questions_{SharedSpace::between_questions}, looks_{SharedSpace::between_questions};
};

}  // namespace quadrille
