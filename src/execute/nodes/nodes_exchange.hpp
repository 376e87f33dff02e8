// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges (execute/executions/exchanger.hpp) among ranks on several nodes. Edges within a node are an exchange of that
// node (shared/unplanned/exchange.hpp). Edges between nodes take one of two ways:
//
//   early    Long edges, and all edges of an exchange that is not packed (Edges::may_pack). Both ends know an edge's length. So
//            both know that the edge is early, and start its message at once.
//   decided  Short edges. The ranks of a node tell each other what each of them sends to each of the other nodes
//            (node_board.hpp). So both nodes of a pair know, without a message between them, how many edges and bytes go from one
//            node to the other, and between which ranks. From these figures and a rule, both make the same decision
//            (node_board.hpp): one packed message from leader to leader, or a message for each edge. If its edges are few, a rank
//            also shows their bytes: the leader of the packed message needs nothing else from this rank.
//
// So a rank waits for the ranks at the other ends of its edges. A rank with short edges to or from other nodes also waits until
// all ranks of its node have entered. A leader also waits until the packed messages that it sends and receives are complete.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "execute/nodes/differing_ends.hpp"
#include "execute/nodes/nodes_state.hpp"
#include "execute/shared/unplanned/exchange.hpp"

namespace quadrille {

// The exchange of the edges within the node. Its Error{misuse} is thrown only when the other edges are complete, too.
class NearEdges {
 public:
  NearEdges(SharedSpace& node, const CopyCosts& costs) : node_(node), exchange_(node, costs) {}

  EdgeLists& lists() { return lists_; }  // fill them before `begin`
  void clear();
  void begin();
  bool advance();  // does not wait; returns whether all edges are complete
  void throw_if_failed() const {
    if (error_) [[unlikely]]
      std::rethrow_exception(error_);
  }
  void abandon(const Error& why) noexcept { exchange_.abandon(why); }
  Bytes memory_bytes() const { return exchange_.memory_bytes(); }

 private:
  SharedSpace& node_;
  SharedExchange exchange_;
  EdgeLists lists_;
  Edges edges_;
  bool is_over_ = true;
  std::exception_ptr error_;
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
  using Keys = ShortEdges::Keys;
  struct ToPack {  // a packed message that this rank sends as the leader when the message has all edges
    Count node;
    Bytes bytes;
    Rank to;
  };

  void start(const Edges& edges) override;
  bool proceed() override;
  void complete() override;
  void end() override;
  void withdraw(const Error& why) noexcept override;
  void throw_lost() const override { state_.node.throw_lost(); }

  void meet();
  void list(const Edges& edges);
  bool advance_all();
  EdgeSummary summary_of(Rank from, Rank to, Bytes bytes) const;  // the summary of one short edge
  void enter();
  void prepare_parts(std::span<std::byte> parts);
  void list_packed(Keys edges);
  void decide();
  void send_decided(Count node, Keys edges);
  void expect_decided(Count node, Keys edges);
  void lead(Count node, const EdgeTotals& totals, Rank to);
  void send_packed();
  void take(const FarEdges::Arrival& arrival);
  void unpack();
  void unpack(const NodesState::ToUnpack& message, const PackedMessage& packed);
  void unpack(Keys keys, const PackedMessage& packed, PackedMessage::Range found);

  const std::shared_ptr<SharedSpace> kept_;
  NodesState state_;
  NearEdges near_;
  DifferingEnds ends_;
  bool has_board_ = false;  // false if the constructor throws

  // The short edges of one execution.
  ByRank<NodeBoard::Row> rows_;  // by node: this rank's part of the short edges
  bool has_rows_ = false, has_entered_ = true;
  bool packs_later_ = false;  // has this rank packed edges that were not among its parts?
  ShortEdges out_, in_;
  std::vector<PackedEdge> packed_;
  std::vector<ToPack> to_pack_;
  LongSince looks_{SharedSpace::between_questions};
};

}  // namespace quadrille
