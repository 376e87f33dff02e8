// SPDX-License-Identifier: BSD-3-Clause
// Counts a schedule's figures, such as rounds and bytes, and gives lower bounds that hold for every schedule of the
// same problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/bound.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct Figures {
  Count c1 = 0;             // rounds with at least one message; for a barrier, control messages count
  Bytes c2 = 0;             // sum over all rounds of the bytes of the round's longest message
  Count ports = 0;          // the most messages that any rank sends, or receives, in one round
  Count startups = 0;       // the most messages that any rank sends
  Bytes traffic_out = 0;    // the most bytes that any rank sends
  Bytes traffic_in = 0;     // the most bytes that any rank receives
  Bytes scratch = 0;        // the most scratch memory of any rank, in bytes
  Bytes control_bytes = 0;  // bytes of headers and count exchanges, summed over all ranks
  bool operator==(const Figures&) const = default;
};

// Returns the schedule's figures. If the schedule states a symmetry, only the programs of the orbit representatives
// are made, so counting 10^6 ranks takes no more time than counting 10. Otherwise, or if `every_rank` is set, the programs of all
// ranks are made.
Figures figures(const Schedule& schedule, bool every_rank = false);

// Returns the memory that a schedule writes to: the largest sum of output and scratch bytes of any rank. It makes the same
// programs as `figures` does without `every_rank`.
Bytes output_and_scratch(const Schedule& schedule);

// Returns lower bounds for a problem on `ports` ports, or an empty list if none is known. `rounds` is the C1 of the
// schedule to compare with; for an alltoall it adds the compound bound: the least C2 that is possible in `rounds`
// rounds.
std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds = {});

// Counts of the messages between nodes. If the problem names no nodes, each rank is a node.
struct NodeFigures {
  Count rounds = 0;       // rounds with at least one message between nodes; for a barrier, control messages count
  Count ports = 0;        // the most exchanges of any node with other nodes in one round (VerifyOptions::node_port_limit)
  Count startups = 0;     // the most messages that any node sends to other nodes
  Bytes traffic_out = 0;  // the most bytes that any node sends to other nodes
  Bytes traffic_in = 0;   // the most bytes that any node receives from other nodes
  bool operator==(const NodeFigures&) const = default;
};

// Makes the programs of all ranks, or only those of some nodes if the schedule states a symmetry under which these nodes
// represent the others.
NodeFigures node_figures(const Schedule& schedule);

// Returns lower bounds of "node_rounds" (for nodes with `node_ports` ports), "node_traffic_out" and "node_traffic_in". A figure
// may have several bounds.
std::vector<Bound> lower_bounds_between_nodes(const Problem& problem, Count node_ports);

// Returns lower bounds of "matchings": the number of steps of an alltoall or alltoallv if in each step each node has at most one
// exchange, with one other node and in both directions. The first bound is the number of exchanges of the busiest node. The
// second one follows from sets of n nodes, n odd: they have at most (n - 1) / 2 exchanges with each other at a time. Both hold if
// each block goes directly from its source to its target, and an exchange consists of the two blocks of two ranks. The list is
// empty for other collectives. Throws Error{too_large} for an alltoall on more than 4096 nodes. Source: [sanders2002].
std::vector<Bound> lower_bounds_by_matchings(const Problem& problem);

// How a schedule loads the links of a network. A message with a port goes straight on from that port if the network has such a
// route; other messages take the network's own route.
struct LinkFigures {
  Count sharing = 0;    // the most messages of one round that share a directed link; 1 means no contention
  Bytes c2_shared = 0;  // sum over all rounds of the round's longest message times the round's sharing
  // If links have capacities: a message counts on a link as the capacity of the slowest link of its way, divided by that of the
  // link; sums are rounded up. The longest message is the one that takes longest on its slowest link, in bytes that the machine's
  // link carries in this time.
  bool operator==(const LinkFigures&) const = default;
};

// Counts the messages of all ranks. If the schedule states no symmetry, all messages are held in memory. Throws Error{misuse} if
// the topology has a different number of ranks from the schedule.
LinkFigures link_figures(const Schedule& schedule, const Topology& topology);

// Returns lower bounds that hold on a topology for every routing, or an empty list if none is known. Throws like
// link_figures.
std::vector<Bound> lower_bounds(const Problem& problem, const Topology& topology);

}  // namespace quadrille
