// SPDX-License-Identifier: BSD-3-Clause
#include "topology/round_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/text/counted.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

void add_messages(Count ranks, const Program& program, Collective collective, MessagesByRound& rounds) {
  const auto exists = [&](Rank rank) { return rank >= 0 && rank < ranks && rank != program.rank; };
  for (const Round& round : program.rounds) {
    for (const Message& message : round.sends)
      if (exists(message.peer)) rounds[round.number].push_back({program.rank, message.peer, message.port, bytes(message.regions)});
    if (moves_data(collective)) continue;
    for (const Control& control : round.control_sends)
      if (exists(control.peer)) rounds[round.number].push_back({program.rank, control.peer, {}, control.bytes});
  }
}

BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse) {
  struct Use {
    Link link;
    std::size_t message;
  };
  std::vector<Use> uses;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& [from, to, port, length] = messages[i];
    const auto use = [&](const Link& link) { uses.push_back({link, i}); };
    if (const auto way = topology.for_each_link(from, to, port, use); !way) {
      refuse(messages[i], way.error());
      topology.for_each_link(from, to, {}, use);
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.link.number < b.link.number; });
  BusiestLink busiest;
  for (auto first = uses.begin(); first != uses.end();) {
    const auto last = std::find_if(first, uses.end(), [&](const Use& use) { return use.link.number != first->link.number; });
    Bytes carried = 0;
    for (auto each = first; each != last; ++each) add_bytes(carried, messages[each->message].bytes);
    carried = busiest.bytes = std::max(busiest.bytes, carried);
    if (last - first > busiest.messages)
      busiest = {last - first, first->link, first->message, (last - first > 1 ? first + 1 : first)->message, carried};
    first = last;
  }
  return busiest;
}

void check_ranks(const Topology& topology, const Problem& problem) {
  if (topology.ranks() != problem.ranks)
    throw Error(ErrorCode::misuse,
                fmt::format("the topology {} has {}, not {}", topology.name(), counted(topology.ranks(), "rank"), problem.ranks));
}

}  // namespace quadrille
