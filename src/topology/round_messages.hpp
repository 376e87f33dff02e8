// SPDX-License-Identifier: BSD-3-Clause
// The messages of a round on the links of a network.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/topology.hpp"

namespace quadrille {

struct RoutedMessage {
  Rank from = 0;
  Rank to = 0;
  std::optional<Port> port;
  Bytes bytes = 0;
};

using MessagesByRound = std::map<Count, std::vector<RoutedMessage>>;

// What the program's rank sends to others of the ranks; where no data is moved its control messages, which are all it has.
void add_messages(Count ranks, const Program& program, Collective collective, MessagesByRound& rounds);

// The link that most messages of a round share, and two of them.
struct BusiestLink {
  Count messages = 0;
  Link link;
  std::size_t first = 0, second = 0;  // among the messages, where there are at least two
  Bytes bytes = 0;                    // the most that any link carries, be it this one or another
};

// A message with a port goes straight from it; if no such way leads to its receiver, refuse(message, reason) is called, and it goes
// as if it had none.
BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse);

// Throws Error{misuse} unless the topology has as many ranks as the problem.
void check_ranks(const Topology& topology, const Problem& problem);

}  // namespace quadrille
