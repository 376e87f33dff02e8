// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/meetings.hpp"

#include <unordered_map>

namespace quadrille {

std::vector<ChannelPlace> channel_places(const Program& program, const DependenceGraph& graph) {
  struct Channel {
    std::size_t last;
    std::uint32_t count;
  };
  std::vector<ChannelPlace> places(graph.operations.size());
  std::unordered_map<Rank, Channel> to, from;  // by peer
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (graph.operations[i].kind == OperationKind::local) continue;
    auto& channels = graph.operations[i].kind == OperationKind::send ? to : from;
    Channel& channel = channels.try_emplace(graph.message(program, i).peer, Channel{no_operation, 0}).first->second;
    places[i] = {channel.last, channel.count};
    channel = {i, channel.count + 1};
  }
  return places;
}

}  // namespace quadrille
