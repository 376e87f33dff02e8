// SPDX-License-Identifier: BSD-3-Clause
// Counts the figures of a schedule, with one program in memory at a time: of all messages, of those between nodes, and of the
// loads on the links of a network.
#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "cost/work.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/comparison.hpp"
#include "schedule/symmetry.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

struct RoundTotals {
  Bytes longest = 0;
  bool has_message = false;
};

Bytes times_checked(Count times, Bytes bytes) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  const Bytes product = times_at_most(times, bytes, most);
  if (product == most)
    throw Error(ErrorCode::too_large, "the control messages of all ranks together reach 2^63 bytes; make the sizes smaller");
  return product;
}

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
  // Returns nodes that have the figures of all nodes.
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

Figures figures(const Schedule& schedule, bool every_rank) {
  Figures figures;
  std::unordered_map<Count, RoundTotals> rounds;
  const bool counts_control = !moves_data(schedule.problem.collective);
  // Ranks of one orbit have the same figures. Control bytes are a sum and are weighted by the size of the orbit; all
  // other figures are maxima.
  const auto count = [&](const Program& program, Count weight) {
    Count startups = 0;
    Bytes out = 0, in = 0;
    for (const Round& round : program.rounds) {
      const auto sent = static_cast<Count>(round.sends.size() + (counts_control ? round.control_sends.size() : 0));
      const auto received = static_cast<Count>(round.receives.size() + (counts_control ? round.control_receives.size() : 0));
      figures.ports = std::max({figures.ports, sent, received});
      startups += sent;
      RoundTotals* totals = nullptr;
      if (!round.sends.empty() || !round.receives.empty() || (counts_control && !round.control_sends.empty())) {
        totals = &rounds[round.number];
        totals->has_message = true;
      }
      for (const Message& message : round.sends) {
        const Bytes length = bytes(message.regions);
        add_bytes(out, length);
        totals->longest = std::max(totals->longest, length);
      }
      for (const Message& message : round.receives) add_bytes(in, bytes(message.regions));
      for (const Control& control : round.control_sends) add_bytes(figures.control_bytes, times_checked(weight, control.bytes));
    }
    figures.startups = std::max(figures.startups, startups);
    figures.traffic_out = std::max(figures.traffic_out, out);
    figures.traffic_in = std::max(figures.traffic_in, in);
    figures.scratch = std::max(figures.scratch, program.scratch_bytes);
  };

  for_each_program(schedule, !every_rank, [&](const Program& program, Count ranks) { return count(program, ranks), true; });

  for (const auto& [number, totals] : rounds) {
    figures.c1 += totals.has_message ? 1 : 0;
    add_bytes(figures.c2, totals.longest);
  }
  return figures;
}

Bytes output_and_scratch(const Schedule& schedule) {
  Bytes most = 0;
  for_each_program(schedule, /*by_symmetry=*/true, [&](const Program& program, Count) {
    Bytes written = buffer_bytes(schedule, program.rank).output;
    add_bytes(written, program.scratch_bytes);
    most = std::max(most, written);
    return true;
  });
  return most;
}

NodeFigures node_figures(const Schedule& schedule) { return NodeCount(schedule).run(); }

LinkFigures link_figures(const Schedule& schedule, const Topology& topology) {
  check_ranks(topology, schedule.problem);
  SendsByRound sends(schedule, !moves_data(schedule.problem.collective));
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (sends.is_owner(rank)) sends.add(schedule.program(rank));
  LinkFigures figures;
  LinkLoads loads(topology);
  sends.for_each(
      [&](Count, Rank from, auto messages, auto&& image) {
        for (const SendsByRound::Send& message : messages) loads.add(from, image(message.peer), message.port(), message.bytes);
      },
      [&](Count) {
        const LinkLoads::Busiest busiest = loads.take();
        figures.sharing = std::max(figures.sharing, busiest.sharing);
        const auto shared = checked_product(busiest.longest, busiest.sharing);
        if (!shared)
          throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
        add_bytes(figures.c2_shared, *shared);
      });
  return figures;
}

std::vector<Bound> lower_bounds(const Problem& problem, const Topology& topology) {
  check_ranks(topology, problem);
  if (problem.collective != Collective::alltoall) return {};
  return {{"c2_shared", topology.exchange_load(problem.block_bytes), "liu2005, lemma 1: what links carry at least"}};
}

}  // namespace quadrille
