// SPDX-License-Identifier: BSD-3-Clause
// Counts what goes between nodes, with one program in memory at a time.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "cost/standing_nodes.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

struct Exchanges {
  Count sent = 0, received = 0;
};

class NodeCount {
 public:
  explicit NodeCount(const Schedule& schedule)
      : schedule_(schedule), nodes_(schedule.problem), counts_control_(!moves_data(schedule.problem.collective)) {}

  NodeFigures run() {
    for (const Count node : counted_nodes()) count(node);
    figures_.rounds = static_cast<Count>(rounds_.size());
    return figures_;
  }

 private:
  // Returns nodes whose figures are those of all.
  std::vector<Count> counted_nodes() const {
    std::vector<Count> counted;
    if (schedule_.symmetry) counted = standing_nodes(*schedule_.symmetry, nodes_);
    if (!counted.empty()) return counted;
    counted.resize(index(nodes_.node_count()));
    std::iota(counted.begin(), counted.end(), Count{0});
    return counted;
  }

  void count(Count node) {
    std::unordered_map<Count, Exchanges> rounds;
    Count startups = 0;
    Bytes out = 0, in = 0;
    for (const Rank rank : nodes_.ranks(node)) {
      for (const Round& round : schedule_.program(rank).rounds) {
        Exchanges exchanges{look_at(node, round.sends, round.control_sends, [&](Bytes sent) { add_bytes(out, sent), ++startups; }),
                            look_at(node, round.receives, round.control_receives, [&](Bytes got) { add_bytes(in, got); })};
        if (exchanges.sent + exchanges.received == 0) continue;
        rounds[round.number].sent += exchanges.sent;
        rounds[round.number].received += exchanges.received;
      }
    }
    for (const auto& [round, exchanges] : rounds) {
      rounds_.insert(round);
      figures_.ports = std::max({figures_.ports, exchanges.sent, exchanges.received});
    }
    figures_.startups = std::max(figures_.startups, startups);
    figures_.traffic_out = std::max(figures_.traffic_out, out);
    figures_.traffic_in = std::max(figures_.traffic_in, in);
  }

  // Calls `visit` with the bytes of each message to, or from, another node. Returns the number of ranks at the other ends.
  template <class Visit>
  Count look_at(Count node, const std::vector<Message>& messages, const std::vector<Control>& controls, Visit&& visit) {
    peers_.clear();
    const auto is_far = [&](Rank peer) { return peer >= 0 && peer < nodes_.rank_count() && nodes_.node_of(peer) != node; };
    for (const Message& message : messages)
      if (is_far(message.peer)) visit(bytes(message.regions)), peers_.push_back(message.peer);
    for (const Control& control : controls)
      if (counts_control_ && is_far(control.peer)) visit(0), peers_.push_back(control.peer);
    std::sort(peers_.begin(), peers_.end());
    return std::distance(peers_.begin(), std::unique(peers_.begin(), peers_.end()));
  }

  const Schedule& schedule_;
  const NodeRanks nodes_;
  const bool counts_control_;
  std::unordered_set<Count> rounds_;
  std::vector<Rank> peers_;  // kept so that its memory is allocated once
  NodeFigures figures_;
};

}  // namespace

NodeFigures node_figures(const Schedule& schedule) { return NodeCount(schedule).run(); }

}  // namespace quadrille
