// SPDX-License-Identifier: BSD-3-Clause
#include "flow/hops.hpp"

#include "quadrille/indexed.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

// Returns the hop over one link, or nothing if no message goes over this link alone.
std::optional<RankHop> hop_over(const Topology& topology, const Link& link) {
  const std::optional<Port> ports[] = {Port{link.dimension, 1}, Port{link.dimension, -1}, {}};
  for (const std::optional<Port>& port : ports) {
    std::vector<Count> way;
    if (topology.append_way(link.from, link.to, port, way) && way == std::vector<Count>{link.number})
      return RankHop{link.from, link.to, port, {index(link.number)}};
  }
  return {};
}

}  // namespace

RankNetwork::RankNetwork(const Topology& topology)
    : ranks(topology.ranks()),
      link_numbers(index(topology.link_numbers())),
      has_switches(topology.vertices() > ranks),
      capacities(topology.capacities()),
      out(index(ranks)) {
  const auto add = [&](RankHop hop) {
    hop.capacity = least_capacity(capacities, std::vector<Count>(hop.links.begin(), hop.links.end()));
    out[index(hop.from)].push_back(hops.size());
    hops.push_back(std::move(hop));
  };
  for (Rank from = 0; from < ranks; ++from) {
    if (!has_switches) {
      for (const Link& link : topology.links_from(from))
        if (auto hop = hop_over(topology, link)) add(std::move(*hop));
      continue;
    }
    for (Rank to = 0; to < ranks; ++to) {
      if (to == from) continue;
      std::vector<Count> way;
      topology.append_way(from, to, {}, way);
      add({from, to, {}, {way.begin(), way.end()}});
    }
  }
}

}  // namespace quadrille
