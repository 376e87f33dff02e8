// SPDX-License-Identifier: BSD-3-Clause
// How many exchanges a node has with other nodes in a round. An exchange is all that one rank sends to another and receives
// from it: a node with one port is one in which at any time one rank talks to one rank elsewhere [sanders2002].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "problem/node_ranks.hpp"
#include "verify/report.hpp"

namespace quadrille {
namespace {

constexpr std::size_t most_named = 8;  // exchanges in a finding

struct NodeExchange {
  Count round, node;
  Rank rank, peer;
  auto operator<=>(const NodeExchange&) const = default;
};

}  // namespace

void check_node_ports(const Schedule& schedule, const std::vector<Program>& programs, Count limit, Report& report) {
  const NodeRanks nodes(schedule.problem);
  std::vector<NodeExchange> exchanges;
  for (const Program& program : programs)
    for (const Round& round : program.rounds) {
      const auto note = [&](const auto& ends) {
        for (const auto& end : ends)
          if (end.peer >= 0 && end.peer < nodes.rank_count() && nodes.node_of(end.peer) != nodes.node_of(program.rank))
            exchanges.push_back({round.number, nodes.node_of(program.rank), program.rank, end.peer});
      };
      note(round.sends);
      note(round.receives);
      if (schedule.problem.collective != Collective::barrier) continue;  // it has no other messages
      note(round.control_sends);
      note(round.control_receives);
    }
  std::sort(exchanges.begin(), exchanges.end());
  exchanges.erase(std::unique(exchanges.begin(), exchanges.end()), exchanges.end());

  for (auto first = exchanges.begin(); first != exchanges.end();) {
    const auto last = std::find_if(first, exchanges.end(), [&](const NodeExchange& exchange) {
      return std::tie(exchange.round, exchange.node) != std::tie(first->round, first->node);
    });
    if (last - first > limit) {
      std::vector<std::string> pairs;
      for (auto exchange = first; exchange != last && pairs.size() < most_named; ++exchange)
        pairs.push_back(fmt::format("{} with {}", exchange->rank, exchange->peer));
      if (static_cast<std::size_t>(last - first) > most_named) pairs.emplace_back("..");
      const Rank beyond = (first + limit)->rank;
      const auto& number = schedule.problem.nodes;
      report.add({Rule::node_port_limit,
                  beyond,
                  stage_name(programs[static_cast<std::size_t>(beyond)].stages, first->round),
                  first->round,
                  {},
                  fmt::format("node {} has {} exchanges with other nodes on {} port{}: {}",
                              number.empty() ? beyond : number[static_cast<std::size_t>(beyond)], last - first, limit,
                              limit == 1 ? "" : "s", fmt::join(pairs, ", "))});
    }
    first = last;
  }
}

}  // namespace quadrille
