// SPDX-License-Identifier: BSD-3-Clause
// alltoall/combined, alltoallv/combined: one message in each direction for each pair of nodes; leaders gather and scatter the data
// inside their nodes.
// Source  [sanders2002], the factor algorithm applied to whole nodes; alternating leaders are our addition.
// Needs   nothing: any counts. If no nodes are known, each rank is a node of its own and the algorithm is one-factor.
// Idea    The nodes meet in the rounds of a 1-factorisation. In each meeting two nodes exchange all data that the ranks of one
//         node have for the ranks of the other. The ranks of a node take turns as its leader. Before the meetings each leader
//         receives the data for its rounds from the other ranks of its node, and after the meetings it distributes the data that
//         arrived. In a message, blocks are ordered by the turn of their other node, then by source, then by target. If sizes
//         differ, headers tell leaders the sizes of the data that they forward, unless leaders know all sizes.
// Cost    N nodes of n ranks: C1 = N + 1 rounds (N odd: N + 2), or fewer if messages are empty. C2 = n^2 (N - 1) blocks between
//         nodes and about 2 N blocks inside nodes. A leader needs scratch memory for the data that it forwards.
// Prefer  short messages if the ranks of a node share the way to the network: there are n^2 times fewer start-ups.
#include <algorithm>
#include <map>

#include "collectives/saying.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "patterns/factors.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// The leaders of all nodes. In each turn a node meets another node or is idle. In turn i its leader is the rank with
// index i mod `leaders`.
class Leaders : public Analysis {
 public:
  Leaders(const Problem& problem, const Parameters& combined_parameters)
      : nodes_(problem), leaders_(number(combined_parameters, "leaders")) {}

  const NodeRanks& nodes() const { return nodes_; }
  Count turns() const { return one_factor::factors_with_pairs(nodes_.node_count()); }
  Count partner(Count turn, Count node) const {  // returns `node` if the node is idle in this turn
    return one_factor::partner(one_factor::Form::concentrated, nodes_.node_count(), turn, node);
  }
  Count leader(Count turn, Count node) const {  // index of the leader among the ranks of its node
    return turn % std::min(leaders_, nodes_.size(node));
  }

 private:
  NodeRanks nodes_;
  Count leaders_;
};

// Builds one rank's program. `home` is its node, `mates` are the ranks of that node. Data for other nodes, or from
// them, is ordered by the turns of these nodes.
class CombinedProgram {
 public:
  CombinedProgram(const Problem& problem, const Leaders& leaders, bool tells_sizes, Rank me)
      : traffic_(problem),
        leaders_(leaders),
        tells_sizes_(tells_sizes),
        me_(me),
        home_(leaders.nodes().node_of(me)),
        mates_(leaders.nodes().ranks(home_)),
        index_(leaders.nodes().index_of(me)),
        program_(me),
        gather_(mates_.size()),
        scatter_(mates_.size()),
        sent_(by_node(traffic_.sent_by(me))),
        received_(by_node(traffic_.received_by(me))) {}

  Program make() && {
    exchange_with_mates();
    for (Count turn = 0; turn < leaders_.turns(); ++turn) {
      const Count other = leaders_.partner(turn, home_);
      if (other == home_) continue;
      const Count leader = leaders_.leader(turn, home_);
      if (leader == index_)
        lead(turn, other);
      else
        follow(index(leader), other);
    }

    program_.scratch(scratch_);
    program_.stage("gather");
    program_.begin_round();
    program_.copy(own_input_, own_output_);
    add_messages(gather_);
    program_.stage("between nodes");
    Count begun = 0;
    for (auto& [turn, message] : exchanges_) {
      program_.skip_rounds(turn + 1 - begun);
      begun = turn + 1;
      add_message(message);
    }
    program_.skip_rounds(leaders_.turns() - begun);
    program_.stage("scatter");
    program_.begin_round();
    add_messages(scatter_);
    return std::move(program_).finish();
  }

 private:
  struct Ends {  // the messages exchanged with one rank
    Rank peer = 0;
    Regions sent, received;
    Bytes told = 0, heard = 0;  // bytes of headers with sizes, sent and received
  };
  using SharesOfNodes = std::map<Count, std::vector<Share>>;

  SharesOfNodes by_node(const std::vector<Share>& shares) const {
    SharesOfNodes nodes;
    for (const Share& share : shares) nodes[leaders_.nodes().node_of(share.peer)].push_back(share);
    return nodes;
  }

  static void append_shares(Regions& regions, Buffer buffer, const SharesOfNodes& shares, Count node) {
    if (const auto found = shares.find(node); found != shares.end())
      for (const Share& share : found->second) append(regions, {buffer, share.offset, share.bytes, {}});
  }

  // Data that stays inside the node goes directly to its target, not through a leader.
  void exchange_with_mates() {
    for (std::size_t i = 0; i < mates_.size(); ++i) gather_[i].peer = scatter_[i].peer = mates_[i];
    const auto place = [&](const SharesOfNodes& shares, Buffer buffer, Regions Ends::*regions, Regions& own) {
      if (const auto found = shares.find(home_); found != shares.end())
        for (const Share& share : found->second)
          append(share.peer == me_ ? own : ends_of(share.peer).*regions, {buffer, share.offset, share.bytes, {}});
    };
    place(sent_, Buffer::input, &Ends::sent, own_input_);
    place(received_, Buffer::output, &Ends::received, own_output_);
  }
  Ends& ends_of(Rank mate) { return gather_[index(leaders_.nodes().index_of(mate))]; }

  // Handles a turn in which another rank of this node leads. This rank sends the leader its data for the other node, and later
  // receives from the leader the data that the other node has sent to this rank.
  void follow(std::size_t leader, Count other) {
    append_shares(gather_[leader].sent, Buffer::input, sent_, other);
    gather_[leader].told += code_bytes(me_, other);
    append_shares(scatter_[leader].received, Buffer::output, received_, other);
  }

  void lead(Count turn, Count other) {
    const auto strangers = leaders_.nodes().ranks(other);
    Ends exchange{strangers[index(leaders_.leader(turn, other))], {}, {}, 0, 0};
    for (std::size_t i = 0; i < mates_.size(); ++i) {
      const Bytes told = code_bytes(mates_[i], other);
      exchange.told += told;
      if (mates_[i] == me_) {
        append_shares(exchange.sent, Buffer::input, sent_, other);
        continue;
      }
      gather_[i].heard += told;
      Bytes length = 0;
      for (const Rank stranger : strangers) length += traffic_.bytes(mates_[i], stranger);
      const Region held = in_scratch(length);
      append(gather_[i].received, held);
      append(exchange.sent, held);
    }
    const auto mine = received_.find(other);
    auto own = mine == received_.end() ? std::vector<Share>::const_iterator{} : mine->second.begin();
    for (const Rank stranger : strangers) {
      exchange.heard += code_bytes(stranger, home_);
      for (std::size_t i = 0; i < mates_.size(); ++i) {
        const Bytes length = traffic_.bytes(stranger, mates_[i]);
        if (length == 0) continue;
        if (mates_[i] == me_) {
          append(exchange.received, {Buffer::output, own++->offset, length, {}});
          continue;
        }
        const Region held = in_scratch(length);
        append(exchange.received, held);
        append(scatter_[i].sent, held);
      }
    }
    exchanges_.emplace_back(turn, std::move(exchange));
  }

  Region in_scratch(Bytes length) {
    scratch_ += length;
    return {Buffer::scratch, scratch_ - length, length, {}};
  }

  // The length of the header that lists the sizes of a rank's data for a node.
  Bytes code_bytes(Rank from, Count node) const {
    if (!tells_sizes_) return 0;
    std::vector<Share> row;
    for (const Rank to : leaders_.nodes().ranks(node))
      if (const Bytes length = traffic_.bytes(from, to); length > 0) row.push_back({leaders_.nodes().index_of(to), length, 0});
    return counts_code_bytes(row);
  }

  void add_messages(std::vector<Ends>& messages) {
    for (std::size_t distance = 1; distance < mates_.size(); ++distance)
      add_message(messages[(index(index_) + distance) % mates_.size()]);
  }
  void add_message(Ends& ends) {
    if (ends.told > 0) program_.control_send(ends.peer, ends.told);
    if (ends.heard > 0) program_.control_receive(ends.peer, ends.heard);
    program_.send(ends.peer, folded(ends.sent));
    program_.receive(ends.peer, folded(ends.received));
  }

  const Traffic traffic_;
  const Leaders& leaders_;
  const bool tells_sizes_;
  const Rank me_;
  const Count home_;
  const std::span<const Rank> mates_;
  const Count index_;  // this rank's index among its mates
  ProgramBuilder program_;
  Bytes scratch_ = 0;
  Regions own_input_, own_output_;
  std::vector<Ends> gather_, scatter_;             // by index of the mate
  std::vector<std::pair<Count, Ends>> exchanges_;  // with other nodes, by turn
  const SharesOfNodes sent_, received_;
};

std::vector<Parameter> combined_parameters(Collective collective) {
  std::vector<Parameter> all{
      {.name = "leaders",
       .summary = "ranks of a node that exchange for it, in turn",
       .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue { return NodeRanks(problem).largest(); },
       .standard_rule = "all",
       .least = 1,
       .most = [](const Problem& problem) { return NodeRanks(problem).largest(); },
       .range = "1..ranks of the largest node",
       .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
         const Count largest = NodeRanks(problem).largest();
         if (largest <= 2) return {Count{1}, largest};
         return {Count{1}, Count{2}, largest};
       }}};
  if (is_irregular(collective))
    all.push_back({.name = "counts",
                   .summary =
                       "how leaders know the sizes of the data that they forward: from headers, or known from an earlier run with "
                       "the same counts",
                   .standard = "headers",
                   .choices = {"headers", "known"},
                   .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
                     return {"known", "headers"};
                   }});
  return all;
}

std::shared_ptr<const Analysis> analyse_combined(const Problem& problem, const Parameters& combined_parameters) {
  return std::make_shared<Leaders>(problem, combined_parameters);
}

Program generate_combined(const Problem& problem, const Parameters& combined_parameters, const Analysis* analysis, Rank me) {
  const bool tells_sizes = combined_parameters.contains("counts") && word(combined_parameters, "counts") == "headers";
  return CombinedProgram(problem, static_cast<const Leaders&>(*analysis), tells_sizes, me).make();
}

Count combined_ports(const Problem& problem, const Parameters&) { return std::max<Count>(1, NodeRanks(problem).largest() - 1); }

}  // namespace

Algorithm alltoall_combined(Collective collective) {
  return {
      .collective = collective,
      .id = "combined",
      .summary = std::string("one message each way for each pair of nodes; leaders, in turn, gather and scatter the ") +
                 (is_irregular(collective) ? "data" : "blocks") + " inside a node",
      .picture =
          "First the ranks of a node bring what goes to another node to one of them, then one long message crosses, and last it is "
          "dealt out. With n ranks on each node, one message takes the place of n * n; the price is copies inside the nodes. For "
          "short data that is a good bargain.",
      .source = "sanders2002",
      .parameters = combined_parameters(collective),
      .says = [](const Problem& problem, const Parameters&, Count round) -> std::string {
        if (round == 0)
          return "In every node, data for another node goes to the rank that will meet it, and data for a neighbour straight to it";
        if (round <= one_factor::factors_with_pairs(NodeRanks(problem).node_count()))
          return "The nodes meet in pairs: one rank of each sends the other all that its node has for it";
        return "In every node, the ranks that have met another node deal out what they got";
      },
      .generate = generate_combined,
      .analyse = analyse_combined,
      .ports = combined_ports,
      .node_ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille
