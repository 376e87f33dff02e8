// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/exchange: all data goes straight to its target, but leaders exchange short data between two nodes in one message.
// Source  [sanders2002] combines the messages between two nodes, as in combined; a decision for each pair of nodes is our addition.
// Needs   nothing: any counts. If no node or only one node is known, the algorithm is alltoallv/direct with a window of p-1.
// Idea    Calls of alltoallv that make no plan run this algorithm (execute/nodes/nodes_exchange.hpp). Data goes straight to its
//         target, all in the first round. The exception is short data from one node to another, if a rule packs it
//         (patterns/packing_rule.hpp). The rule decides by the number of the short counts between two nodes and by their sum.
//         Packed data goes to a leader of its node in the first round, from there in one message to a leader of the other node,
//         and from there to its targets. A leader is itself a source or target of this data. The ranks of a node take turns to
//         lead for other nodes. A message is ordered by source, then by target. The program leaves out two things: the table at
//         the head of a packed message, because in a program it would be a message of its own; and the totals, which the ranks of
//         a node exchange in shared memory. The table has 4 B for each source, 4 B more, and 8 B for each count.
// Cost    C1 <= 3. Each byte travels once between nodes. Packed bytes travel inside their nodes, too, unless a leader is their
//         source or target. A leader needs scratch memory for the packed data of others.
// Prefer  short data among several nodes. Unlike combined it packs no long data, and a node exchanges messages with all other
//         nodes at the same time.
#include <algorithm>
#include <map>

#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/slices/pairs.hpp"
#include "patterns/packing_rule.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// The ordered pairs of nodes whose short data is packed.
class PackedPairs : public Analysis {
 public:
  explicit PackedPairs(const Problem& problem)
      : nodes_(problem),
        rule_(PackingRule::among(nodes_.node_count(), nodes_.largest())),
        targets_(nodes_.node_count()),
        sources_(nodes_.node_count()) {
    const Traffic traffic(problem);
    for (Count node = 0; node < nodes_.node_count(); ++node) {
      std::map<Count, EdgeSummary> sums;  // by the number of nodes from this node on to the other
      for (const Rank rank : nodes_.ranks(node))
        for (const Share& share : traffic.sent_by(rank))
          if (is_short(share.bytes)) sums[steps(node, nodes_.node_of(share.peer))].add(summary_of(rank, share));
      for (const auto& [steps, sum] : sums) {
        if (steps == 0 || !rule_.packs(sum.totals, nodes_.size(node))) continue;
        const Count other = after(node, steps), back = nodes_.node_count() - steps;
        const Rank sender = leader(node, steps, sum.leaders.sender), receiver = leader(other, back, sum.leaders.receiver);
        targets_[node].push_back({steps, sender, receiver});
        sources_[other].push_back({back, sender, receiver});
      }
    }
    for (auto& sources : sources_)
      std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.steps < b.steps; });
  }

  // One packed message.
  struct Pair {
    Count steps;  // the other node is this node + steps (mod nodes)
    Rank sender, receiver;
  };

  bool is_empty() const {
    return std::all_of(targets_.begin(), targets_.end(), [](const auto& targets) { return targets.empty(); });
  }
  // The packed messages that a node sends or receives, in the order of the steps.
  const ByRank<Pair>& targets(Count node) const { return targets_[node]; }
  const ByRank<Pair>& sources(Count node) const { return sources_[node]; }
  bool contains(Count from, Count to) const {
    const auto& targets = targets_[from];
    const auto found = std::lower_bound(targets.begin(), targets.end(), steps(from, to),
                                        [](const Pair& pair, Count steps) { return pair.steps < steps; });
    return found != targets.end() && found->steps == steps(from, to);
  }
  bool is_short(Bytes bytes) const { return bytes <= rule_.longest_short; }

  const NodeRanks& nodes() const { return nodes_; }
  Count after(Count node, Count steps) const { return node_after(node, steps, nodes_.node_count()); }
  Count steps(Count from, Count to) const { return steps_between(from, to, nodes_.node_count()); }

 private:
  Count number_to_lead(Rank rank, Count other) const {
    const Count node = nodes_.node_of(rank), ranks = nodes_.size(node);
    return number_in_circle(nodes_.index_of(rank), begin_of_circle(steps(node, other), ranks), ranks);
  }
  Rank leader(Count node, Count steps, Count number) const {
    const Count ranks = nodes_.size(node);
    return nodes_.ranks(node)[index(place_in_circle(number, begin_of_circle(steps, ranks), ranks))];
  }
  EdgeSummary summary_of(Rank from, const Share& share) const {
    const Count source = nodes_.node_of(from), target = nodes_.node_of(share.peer);
    if (source == target) return {};
    return {{share.bytes, 1}, {number_to_lead(from, target), number_to_lead(share.peer, source)}};
  }

  const NodeRanks nodes_;
  const PackingRule rule_;
  ByRank<ByRank<Pair>> targets_, sources_;
};

// Builds one rank's program.
class ExchangeProgram {
 public:
  ExchangeProgram(const Problem& problem, const PackedPairs& pairs, Rank me)
      : traffic_(problem), pairs_(pairs), me_(me), home_(pairs.nodes().node_of(me)), program_(me) {}

  Program make() && {
    Regions own_input, own_output;
    std::map<Count, Regions> packed_sent, packed_received;  // this rank's packed data, by the other node
    for (const auto& [peer, length, offset] : traffic_.sent_by(me_)) {
      const Count node = pairs_.nodes().node_of(peer);
      const Region region{Buffer::input, offset, length, {}};
      if (peer == me_)
        own_input = {region};
      else if (pairs_.is_short(length) && pairs_.contains(home_, node))
        packed_sent[node].push_back(region);
      else
        append(sent_to(first_, peer), region);
    }
    for (const auto& [peer, length, offset] : traffic_.received_by(me_)) {
      const Count node = pairs_.nodes().node_of(peer);
      const Region region{Buffer::output, offset, length, {}};
      if (peer == me_)
        own_output = {region};
      else if (pairs_.is_short(length) && pairs_.contains(node, home_))
        packed_received[node].push_back(region);
      else
        append(received_from(first_, peer), region);
    }
    for (const PackedPairs::Pair& pair : pairs_.targets(home_)) send_packed(pair, packed_sent[pairs_.after(home_, pair.steps)]);
    for (const PackedPairs::Pair& pair : pairs_.sources(home_))
      receive_packed(pair, packed_received[pairs_.after(home_, pair.steps)]);

    program_.scratch(scratch_);
    program_.stage("gather");
    program_.begin_round();
    program_.copy(own_input, own_output);
    add_messages(first_);
    program_.stage("between nodes");
    program_.begin_round();
    for (auto& [to, regions] : far_sent_) program_.send(to, folded(regions));
    for (auto& [from, regions] : far_received_) program_.receive(from, folded(regions));
    program_.stage("scatter");
    program_.begin_round();
    add_messages(last_);
    return std::move(program_).finish();
  }

 private:
  struct ByDistance {  // one message for each pair of ranks
    std::map<Count, Regions> sent, received;
  };
  using FarMessage = std::pair<Rank, Regions>;

  Count distance(Rank from, Rank to) const { return (to - from + traffic_.ranks()) % traffic_.ranks(); }
  Regions& sent_to(ByDistance& messages, Rank to) const { return messages.sent[distance(me_, to)]; }
  Regions& received_from(ByDistance& messages, Rank from) const { return messages.received[distance(from, me_)]; }

  void send_packed(const PackedPairs::Pair& pair, const Regions& own) {
    if (pair.sender != me_) {
      append_all(sent_to(first_, pair.sender), own);
      return;
    }
    const Count other = pairs_.after(home_, pair.steps);
    Regions message;
    for (const Rank mate : pairs_.nodes().ranks(home_)) {
      if (mate == me_) {
        append_all(message, own);
        continue;
      }
      Bytes length = 0;
      for (const Rank stranger : pairs_.nodes().ranks(other)) length += packed_bytes_of(mate, stranger);
      if (length == 0) continue;
      const Region held = in_scratch(length);
      append(received_from(first_, mate), held);
      append(message, held);
    }
    far_sent_.emplace_back(pair.receiver, std::move(message));
  }

  void receive_packed(const PackedPairs::Pair& pair, const Regions& own) {
    if (pair.receiver != me_) {
      append_all(received_from(last_, pair.receiver), own);
      return;
    }
    const Count other = pairs_.after(home_, pair.steps);
    Regions message;
    auto next_own = own.begin();
    for (const Rank stranger : pairs_.nodes().ranks(other))
      for (const Rank mate : pairs_.nodes().ranks(home_)) {
        const Bytes length = packed_bytes_of(stranger, mate);
        if (length == 0) continue;
        if (mate == me_) {
          append(message, *next_own++);
          continue;
        }
        const Region held = in_scratch(length);
        append(message, held);
        append(sent_to(last_, mate), held);
      }
    far_received_.emplace_back(pair.sender, std::move(message));
  }

  // How many bytes are packed from one rank to another. The pair of their nodes must be packed.
  Bytes packed_bytes_of(Rank from, Rank to) const {
    const Bytes length = traffic_.bytes(from, to);
    return pairs_.is_short(length) ? length : 0;
  }

  Region in_scratch(Bytes length) {
    scratch_ += length;
    return {Buffer::scratch, scratch_ - length, length, {}};
  }

  static void append_all(Regions& regions, const Regions& more) {
    for (const Region& region : more) append(regions, region);
  }

  void add_messages(const ByDistance& messages) {
    const Count p = traffic_.ranks();
    for (const auto& [distance, regions] : messages.sent) program_.send((me_ + distance) % p, folded(regions));
    for (const auto& [distance, regions] : messages.received) program_.receive((me_ - distance + p) % p, folded(regions));
  }

  const Traffic traffic_;
  const PackedPairs& pairs_;
  const Rank me_;
  const Count home_;
  ProgramBuilder program_;
  Bytes scratch_ = 0;
  ByDistance first_, last_;                          // messages of the first and the last round
  std::vector<FarMessage> far_sent_, far_received_;  // packed messages, in the order of the steps to the other node
};

// Null if nothing is packed.
std::shared_ptr<const Analysis> analyse_exchange(const Problem& problem, const Parameters&) {
  if (problem.nodes.empty()) return nullptr;
  auto pairs = std::make_shared<PackedPairs>(problem);
  return pairs->is_empty() ? nullptr : pairs;
}

Program generate_exchange(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  if (!analysis) return exchange_by_distance(problem, std::max<Count>(1, problem.ranks - 1), me);
  return ExchangeProgram(problem, static_cast<const PackedPairs&>(*analysis), me).make();
}

// The most messages of a node at a time: without packing, one for each pair of a rank of the node and a rank of another node.
Count node_ports(const Problem& problem, const Parameters&) {
  Count most = 1;
  for (const Count ranks : NodeRanks(problem).sizes()) most = std::max(most, ranks * (problem.ranks - ranks));
  return most;
}

}  // namespace

extern const Algorithm alltoallv_exchange{
    .collective = Collective::alltoallv,
    .id = "exchange",
    .summary = "what calls without a plan run: straight to the target; short data between two nodes in one message, by leaders",
    .picture =
        "Short data between two nodes goes to a leader, crosses together with that of its node, and is dealt out there; all other "
        "data goes straight to its target. Both ends see from their totals what a pair of nodes will do, so there is nothing to "
        "agree on. For short data that saves start-ups, and long data does not wait for a leader.",
    .source = "sanders2002",
    .generate = generate_exchange,
    .analyse = analyse_exchange,
    .ports = [](const Problem& problem, const Parameters&) { return std::max<Count>(1, problem.ranks - 1); },
    .node_ports = node_ports,
};

}  // namespace quadrille
