// SPDX-License-Identifier: BSD-3-Clause
// reduce/hierarchical: vectors are combined inside nodes first; then each lane combines its part between nodes.
// Source  [traff2020] reduction decomposed into lanes; [sanders2002] for nodes of different sizes.
// Needs   several nodes, one with several ranks; what the parts need; lanes <= ranks of the smallest node.
// Idea    broadcast/hierarchical backwards: the vector is cut into a part for each lane. The ranks of each node combine
//         each part at its leader, each lane combines its part at the root's node, and there the root gathers the parts.
//         With one lane, leaders combine whole vectors.
// Cost    b bytes leave each node but the root's, the least possible; C1 is the sum of the parts' rounds.
// Prefer  several ranks on a node. Use one lane for short vectors, and segments=k for long vectors.
#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {
namespace {

std::vector<Phase> phases(const Problem& problem, const Lanes& lanes, const Parameters&) {
  const VectorParts vector(problem, lanes);
  const Rank root = problem.root;
  // A part that is combined over all ranks, at the leaders of the root's node.
  const auto of_all = [=, &lanes](Rank rank) {
    if (!lanes.leads(rank) || lanes.nodes().node_of(rank) != lanes.nodes().node_of(root)) return Regions{};
    if (rank == root) return vector.held(Buffer::output, rank);
    const Bytes bytes = vector.bytes(lanes.lane_of(rank));
    return Regions{{Buffer::scratch, bytes, bytes, {}}};
  };
  std::vector<Phase> all{vector.combine_in_nodes(),
                         vector.between_nodes(
                             "combine between nodes", Collective::reduce, [=](Rank rank) { return vector.of_node(rank); }, of_all)};
  if (lanes.count() > 1)
    all.push_back(vector.in_roots_node("gather in the root's node", Collective::gather, of_all, [=](Rank rank) {
      return rank == root ? Regions{vector.whole(Buffer::output)} : Regions{};
    }));
  return all;
}

}  // namespace

extern const Algorithm reduce_hierarchical =
    hierarchical<phases>(Collective::reduce, "combine inside nodes, then each lane of leaders combines its part between nodes",
                         "The ranks of a node combine their vectors first, each part at the leader of its lane; then the lanes "
                         "combine between the nodes. So the bytes of one vector leave each node, however many ranks it has.");

}  // namespace quadrille
