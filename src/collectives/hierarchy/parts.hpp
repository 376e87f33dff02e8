// SPDX-License-Identifier: BSD-3-Clause
// The parts of the data that lanes carry, and where they lie: shares of ranks, or parts of a vector.
#pragma once

#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/shares.hpp"

namespace quadrille {

// For forms of collectives in which every rank has a share (allgather, reduce_scatter, gather, scatter): a lane carries the shares
// of the ranks in its groups. Both arguments must outlive the object and all copies of it.
class ShareParts {
 public:
  ShareParts(const Problem& problem, const Lanes& lanes);

  Bytes bytes_of_group(Count group) const;
  Bytes bytes_of_lane(Count lane) const { return (*lane_bytes_)[lane]; }
  Bytes bytes_before_group(Rank leader) const;  // of the groups of the leader's lane that come before its own

  // Places in a buffer that has all shares in the order of ranks: the shares of one group; of all groups of one lane; of all lanes,
  // one after the other. Lanes list their groups in the order of their leaders, or in this order around from the node of a rank.
  Regions of_group(Buffer buffer, Count group) const;
  Regions of_lane(Buffer buffer, Count lane, std::optional<Rank> from = std::nullopt) const;
  Regions of_all(Buffer buffer, std::optional<Rank> from = std::nullopt) const;

  // The counts of the ranks of a group, a node or a lane that exchange these shares.
  std::vector<Bytes> counts_in_group(Count group) const;
  std::vector<Bytes> counts_in_node(Count node) const;  // of leaders, each with all shares of its lane
  std::vector<Bytes> counts_in_lane(Count lane) const;

  // A collective of the shares of each group that has several ranks, whose root is its leader.
  Phase in_groups(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                  std::function<Regions(Rank)> output) const;
  // A rooted or unrooted collective of the shares of each lane between nodes.
  Phase between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;

 private:
  void add_group(Regions& regions, Buffer buffer, Count group) const;
  void add_lane(Regions& regions, Buffer buffer, Count lane, std::optional<Rank> from) const;

  std::shared_ptr<const Shares> shares_;
  const Problem* problem_;
  const Lanes* lanes_;
  std::shared_ptr<const ByRank<Bytes>> lane_bytes_;
};

// For forms of collectives of vectors (broadcast, reduce, allreduce): the vector is cut into a part for each lane. Both arguments
// must outlive the object and all copies of it.
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
