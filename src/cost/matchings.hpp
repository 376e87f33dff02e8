// SPDX-License-Identifier: BSD-3-Clause
// Nodes that have one exchange at a time, with one other node and in both directions [sanders2002, section 1]. The exchanges at
// one time are a matching of the nodes. So the exchanges of a round take as many steps as the fewest matchings into which they
// can be divided. Such a division is an edge colouring of a multigraph, whose vertices are the nodes. Two bounds hold:
//   degree   the most exchanges of one node;
//   odd set  the exchanges within an odd number n of nodes, divided by (n - 1) / 2, the most of them that can take place at a time.
// If exchanges can be interrupted, the larger bound is the least time [edmonds1965]. If they cannot be interrupted and are
// equally long, as steps are, the least number of steps is the larger bound, or one more than the degree [chen2019].
#pragma once

#include <algorithm>
#include <vector>

#include "problem/node_ranks.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// What two nodes exchange: a number of exchanges, or their bytes.
struct PairLoad {
  Count one = 0, other = 0;
  Count amount = 0;
};

struct MatchingBounds {
  Count degree = 0, odd_set = 0;      // steps
  Count busiest = 0, within_set = 0;  // the node with that degree; the exchanges within the odd set
  std::vector<Count> members;         // of the odd set; empty: there is none
  Count least() const { return std::max(degree, odd_set); }
};

// Returns both bounds. A pair may be listed several times, in either order. If exchanges connect at most ten nodes, all odd sets
// of these nodes are tried. Among more connected nodes only some odd sets are tried: repeatedly, the node that exchanges least
// with the remaining nodes is removed, and the remaining nodes are the next set. In an alltoall two nodes exchange the product of
// their sizes. Each of these sets then has the largest nodes, so it is the best set of its size. Throws Error{too_large} if a sum
// reaches 2^63.
MatchingBounds matching_bounds(std::vector<PairLoad> loads);

// What two ranks of different nodes send each other in a round: one exchange, as long as the longer of both messages.
struct RankExchange {
  Rank one = 0, other = 0;
  Bytes bytes = 0;
};

struct LeastMatchings {
  Count steps = 0;
  Bytes bytes = 0;  // of all steps, one after the other: at least `steps` times the shortest exchange
};

// Returns the larger of the two bounds, once for the steps and once for the bytes. What two ranks send may be listed in two
// parts, one for each direction.
LeastMatchings least_matchings(std::vector<RankExchange> exchanges, const NodeRanks& nodes);

}  // namespace quadrille
