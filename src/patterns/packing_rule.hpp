// SPDX-License-Identifier: BSD-3-Clause
// Short edges from one node to another may go in one packed message: whether they do, how long the message is, and which ranks send
// and receive it. Both nodes compute the same from the same figures. alltoallv/exchange and exchanges by edges
// (execute/nodes/nodes_exchange.hpp) follow this rule.
#pragma once

#include "quadrille/types.hpp"

namespace quadrille {

// The short edges from one node to another in one exchange, or one rank's part of them.
struct EdgeTotals {
  Bytes bytes = 0;
  Count edges = 0;

  void add(const EdgeTotals& more) { bytes += more.bytes, edges += more.edges; }
  friend bool operator==(const EdgeTotals&, const EdgeTotals&) = default;
};

// What decides between packed and single messages. All ranks of a group agree on one rule when the group is made.
struct PackingRule {
  // Sending an edge in a message of its own costs as much as packing so many bytes. A longer edge is never packed, and does not
  // enter the totals.
  Bytes longest_short = 512;
  Bytes most_bytes = 65536;  // of a packed message

  // `most_ranks`: of a node.
  static PackingRule among(Count nodes, Count most_ranks);

  // `senders`: how many ranks the sending node has.
  bool packs(const EdgeTotals& totals, Count senders) const;
};

// The length of a packed message.
Bytes packed_bytes(Count senders, const EdgeTotals& totals);

// Each of `nodes` nodes takes its partners in the order of the steps from itself, so that they do not all begin with the same one.
inline Count node_after(Count node, Count steps, Count nodes) { return (node + steps) % nodes; }
inline Count steps_between(Count from, Count to, Count nodes) { return (to - from + nodes) % nodes; }

// The rank that sends and receives the packed messages between its node, which has `ranks` ranks, and the node after so many steps:
// its number among the ranks of its node. The other nodes take the ranks of the node in turn. Two leaders know each other without a
// message.
inline Rank leader_after(Count steps, Count ranks) { return (steps - 1) % ranks; }

}  // namespace quadrille
