// SPDX-License-Identifier: BSD-3-Clause
// Decides whether the short edges from one node to another go in one packed message, how long this message is, and which ranks
// send and receive it. Both nodes know the same numbers, so they decide alike. alltoallv/exchange and exchanges by edges
// (execute/nodes/nodes_exchange.hpp) follow this rule. Also how many messages a rank has under way at a time.
#pragma once

#include <algorithm>
#include <limits>

#include "quadrille/types.hpp"

namespace quadrille {

// The short edges from one node to another in one exchange, or one rank's part of them.
struct EdgeTotals {
  Bytes bytes = 0;
  Count edges = 0;

  void add(const EdgeTotals& more) { bytes += more.bytes, edges += more.edges; }
  friend bool operator==(const EdgeTotals&, const EdgeTotals&) = default;
};

// The limits that decide between packed and single messages. All ranks of a group agree on one rule when the group is made.
struct PackingRule {
  // Sending an edge in a message of its own costs as much as packing this many bytes. A longer edge is never packed, and
  // EdgeTotals do not count it.
  Bytes longest_short = 512;
  Bytes most_bytes = 65536;  // of a packed message

  // `most_ranks`: the number of ranks of the largest node.
  static PackingRule among(Count nodes, Count most_ranks);

  // `senders`: the number of ranks of the sending node.
  bool packs(const EdgeTotals& totals, Count senders) const;
};

// The length of a packed message.
Bytes packed_bytes(Count senders, const EdgeTotals& totals);

// Each node takes its partners in the order node + 1, node + 2, .. (mod nodes), so that not all nodes begin with the same
// partner.
inline Count node_after(Count node, Count steps, Count nodes) { return (node + steps) % nodes; }
inline Count steps_between(Count from, Count to, Count nodes) { return (to - from + nodes) % nodes; }

// The ranks that send and receive the packed message from one node to another. Each is the first rank on its node that has a
// short edge in this direction. The ranks of a node are searched in a circle, which begins with a different rank for each other
// node, so that the ranks share the work. Both ranks of an edge know the edge, so both nodes know both leaders. A rank without
// short edges never leads.
struct Leaders {
  static constexpr Count none = std::numeric_limits<Count>::max();
  Count sender = none, receiver = none;  // places in the circles of their nodes

  void add(const Leaders& more) { sender = std::min(sender, more.sender), receiver = std::min(receiver, more.receiver); }
};

// The place where the circle of a node's ranks begins for the node `steps` further on. A place is a rank's number on its node.
inline Rank begin_of_circle(Count steps, Count ranks) { return (steps - 1) % ranks; }
inline Count number_in_circle(Rank place, Rank begin, Count ranks) { return (place - begin + ranks) % ranks; }
inline Rank place_in_circle(Count number, Rank begin, Count ranks) { return (begin + number) % ranks; }

// What both nodes know of the short edges from one node to the other in one exchange, or one rank's part of this knowledge.
struct EdgeSummary {
  EdgeTotals totals;
  Leaders leaders;

  void add(const EdgeSummary& more) { totals.add(more.totals), leaders.add(more.leaders); }
};

// How many messages a rank has under way at a time, if it has many to send or to receive. More messages do not raise the link's
// bandwidth, but each message takes longer, for two reasons: whenever Open MPI 4 makes progress, it goes through all sends that
// have no buffer; and the lists in which network adapters match messages are short.
//
// A message takes its start-up plus its bytes divided by the link's bandwidth. While a message starts, the link can move others.
// So the link is busy if the sum of the bytes of all messages under way is at least what the link moves during one start-up.
struct MessageWindow {
  Bytes link_bytes = 262144;  // start-up times bandwidth, with a reserve: 50 to 80 KB on the fastest networks of machines/
  Count least = 32;           // also for long messages: messages to a late rank must not delay all others
  Count most = 256;           // short messages are limited by the processors, not by the link

  // Returns how many messages are under way at a time, if `messages` messages with a total of `bytes` are to be sent.
  Count under_way(Count messages, Bytes bytes) const;
};

}  // namespace quadrille
