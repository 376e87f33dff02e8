// SPDX-License-Identifier: BSD-3-Clause
// Parts of forms for collectives of vectors (broadcast, reduce, allreduce): the vector is cut into a part for each lane.
#pragma once

#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/segments.hpp"

namespace quadrille {

// Both arguments must outlive the object and all copies of it.
class VectorParts {
 public:
  VectorParts(const Problem& problem, const Lanes& lanes) : problem_(&problem), lanes_(&lanes) {}

  Bytes bytes(Count lane) const { return at(Buffer::input, lane).length; }
  Region at(Buffer buffer, Count lane) const { return segment(buffer, *problem_, lanes_->count(), lane); }
  Region whole(Buffer buffer) const { return {buffer, 0, problem_->block_bytes, {}}; }
  // The part of a leader's lane in the vector; other ranks have none.
  Regions held(Buffer buffer, Rank rank) const;
  // The part of a leader's lane combined over the ranks of its node: in scratch memory, or in the input of a rank that is alone on
  // its node.
  Regions of_node(Rank rank) const;

  // The counts of the ranks of a node that gather or scatter the parts.
  Problem shared_out(Collective collective, Count node, Rank root = 0) const;

  Phase combine_in_nodes() const;  // from the inputs to of_node
  Phase spread_in_nodes() const;   // from held in the output to the whole output of every rank
  // A rooted or unrooted collective of the part of each lane between nodes.
  Phase between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;
  // A gather or scatter of the parts between the root and the leaders of its node.
  Phase in_roots_node(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;

 private:
  Count roots_node() const { return lanes_->nodes().node_of(problem_->root); }

  const Problem* problem_;
  const Lanes* lanes_;
};

}  // namespace quadrille
