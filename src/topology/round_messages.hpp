// SPDX-License-Identifier: BSD-3-Clause
// The messages of each round, and the links that they share.
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

// Adds the messages that the program's rank sends to other ranks. If the collective moves no data (a barrier), adds its control
// messages, because it has no other messages.
void add_messages(Count ranks, const Program& program, Collective collective, MessagesByRound& rounds);

// The link that carries the most messages of a round, and two of these messages.
struct BusiestLink {
  Count messages = 0;
  Link link;
  std::size_t first = 0, second = 0;  // indices of two messages, if there are at least two
  Bytes bytes = 0;                    // the most bytes that any link carries, which may be another link
};

// Returns the busiest link. A message with a port runs straight from that port. If the port does not lead to the receiver,
// refuse(message, reason) is called, and the message takes the route without a port.
BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse);

// Throws Error{misuse} if the topology has a different number of ranks from the problem.
void check_ranks(const Topology& topology, const Problem& problem);

}  // namespace quadrille
