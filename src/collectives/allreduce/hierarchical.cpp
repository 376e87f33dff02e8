// SPDX-License-Identifier: BSD-3-Clause
// allreduce/hierarchical: vectors are combined inside nodes; each lane combines its part between nodes; nodes share all parts.
// Source  [traff2020] allreduce decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need; lanes <= ranks of the smallest node.
// Idea    The vector is cut into a part for each lane. The ranks of each node combine each part at its leader, the leaders
//         of a lane combine it between the nodes, and the ranks of each node gather the parts. With one lane this is a
//         reduction to the leader, an allreduce of leaders and a broadcast.
// Cost    What enters and leaves a node is the volume of the algorithm between nodes for b bytes, whatever the number of
//         ranks on a node; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. One lane for short vectors; segments=k for long ones.
#include "collectives/hierarchy/record.hpp"
#include "collectives/hierarchy/vector_parts.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes) {
  const VectorParts vector(problem, lanes);
  return {vector.combine_in_nodes(),
          vector.between_nodes(
              "combine between nodes", Collective::allreduce, [=](Rank rank) { return vector.of_node(rank); },
              [=](Rank rank) { return vector.held(Buffer::output, rank); }),
          vector.spread_in_nodes()};
}

}  // namespace

extern const Algorithm allreduce_hierarchical =
    hierarchical<phases>(Collective::allreduce,
                         "combine inside nodes, each lane of leaders combines its part between nodes, then nodes share all parts");

}  // namespace quadrille
