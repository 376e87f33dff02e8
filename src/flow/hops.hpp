// SPDX-License-Identifier: BSD-3-Clause
// Messages that ranks can send on a network, and the links over which each goes.
#pragma once

#include <optional>
#include <vector>

#include "quadrille/topology.hpp"

namespace quadrille {

struct RankHop {
  Rank from = 0, to = 0;
  std::optional<Port> port;
  std::vector<std::size_t> links;
  Count capacity = 1;  // of the slowest of the links
};

// Without switches there is a hop for each link: a rank forwards what goes farther. With switches there is a hop from each rank to
// each other rank on the network's own way, because no message can stop at a switch. Links that no message can name, the second of
// two cables between two ranks, are left out.
struct RankNetwork {
  explicit RankNetwork(const Topology& topology);

  Count ranks;
  std::size_t link_numbers;
  bool has_switches;
  Capacities capacities;
  std::vector<RankHop> hops;
  std::vector<std::vector<std::size_t>> out;  // by rank: the hops that leave it
};

}  // namespace quadrille
