// SPDX-License-Identifier: BSD-3-Clause
// The rules about ports of nodes and links of a network.
//
// Node ports: counts the exchanges of each node with other nodes in each round. A port of a node is full-duplex, like a rank's
// port. On a node with one port, one rank may send to another node while one rank receives from another node. Such a pair of
// messages is one exchange [sanders2002], even if two different ranks of the node take part, or two different other nodes, as in
// a permutation of the nodes. All messages from one rank to another rank in a round count as one.
//
// Links: a message with a port runs straight to its receiver, and no two messages of a round share a directed link.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "problem/node_ranks.hpp"
#include "topology/round_messages.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_named = 8;  // exchanges listed in one finding

struct NodeMessage {
  Count round, node;
  bool received;
  Rank rank, peer;
  auto operator<=>(const NodeMessage&) const = default;
};

std::string text_of(const RoutedMessage& message) { return fmt::format("{} to {}", message.from, message.to); }

}  // namespace

void check_node_ports(const Schedule& schedule, const EachProgram& each_program, Count limit, FindingList& findings) {
  const NodeRanks nodes(schedule.problem);
  std::vector<NodeMessage> messages;
  std::vector<Stage> stages;  // the same for all ranks
  each_program([&](const Program& program) {
    if (stages.empty()) stages = program.stages;
    for (const Round& round : program.rounds) {
      const auto note = [&](const auto& ends, bool received) {
        for (const auto& end : ends)
          if (end.peer >= 0 && end.peer < nodes.rank_count() && nodes.node_of(end.peer) != nodes.node_of(program.rank))
            messages.push_back({round.number, nodes.node_of(program.rank), received, program.rank, end.peer});
      };
      note(round.sends, false);
      note(round.receives, true);
      if (moves_data(schedule.problem.collective)) continue;
      note(round.control_sends, false);
      note(round.control_receives, true);
    }
  });
  std::sort(messages.begin(), messages.end());
  messages.erase(std::unique(messages.begin(), messages.end()), messages.end());

  for (auto first = messages.begin(); first != messages.end();) {
    const auto end = std::find_if(first, messages.end(), [&](const NodeMessage& message) {
      return std::tie(message.round, message.node) != std::tie(first->round, first->node);
    });
    // Sends come before receives. Report the direction with more exchanges.
    const auto middle = std::find_if(first, end, [](const NodeMessage& message) { return message.received; });
    const bool tells_received = end - middle > middle - first;
    const auto last = tells_received ? end : middle;
    if (tells_received) first = middle;
    if (last - first > limit) {
      std::vector<std::string> pairs;
      for (auto message = first; message != last && pairs.size() < most_named; ++message)
        pairs.push_back(fmt::format("{} with {}", message->rank, message->peer));
      if (static_cast<std::size_t>(last - first) > most_named) pairs.emplace_back("..");
      const Rank beyond = (first + limit)->rank;
      const auto& number = schedule.problem.nodes;
      findings.add({Rule::node_port_limit,
                    beyond,
                    stage_name(stages, first->round),
                    first->round,
                    {},
                    fmt::format("node {} has {} exchanges with other nodes on {} port{}: {}",
                                number.empty() ? beyond : number[static_cast<std::size_t>(beyond)], last - first, limit,
                                limit == 1 ? "" : "s", fmt::join(pairs, ", "))});
    }
    first = end;
  }
}

void check_links(const Schedule& schedule, const EachProgram& each_program, const Topology& topology, FindingList& findings) {
  MessagesByRound rounds;
  std::vector<Stage> stages;  // the same for all ranks
  each_program([&](const Program& program) {
    if (stages.empty()) stages = program.stages;
    add_messages(topology.ranks(), program, schedule.problem.collective, rounds);
  });
  for (const auto& [number, messages] : rounds) {
    const auto place = [&, round = number](Rule rule, Rank rank, std::string message) {
      findings.add({rule, rank, stage_name(stages, round), round, {}, std::move(message)});
    };
    const BusiestLink busiest = busiest_link(topology, messages, [&](const RoutedMessage& message, const std::string& reason) {
      place(Rule::no_such_way, message.from, reason);
    });
    if (busiest.sharing < 2) continue;
    place(Rule::link_contention, messages[busiest.first].from,
          fmt::format("{} messages go over the link {} of {}, among them those from {} and from {}", busiest.messages,
                      topology.text_of(busiest.link), topology.name(), text_of(messages[busiest.first]),
                      text_of(messages[busiest.second])));
  }
}

}  // namespace quadrille
