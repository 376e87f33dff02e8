// SPDX-License-Identifier: BSD-3-Clause
// Where shares lie, for forms of collectives in which every rank has a share (allgather, reduce_scatter, gather, scatter). A lane
// carries the shares of the ranks in its groups.
#pragma once

#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/shares.hpp"

namespace quadrille {

// `lanes` must outlive the object and all copies of it.
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

 private:
  void add_group(Regions& regions, Buffer buffer, Count group) const;
  void add_lane(Regions& regions, Buffer buffer, Count lane, std::optional<Rank> from) const;

  std::shared_ptr<const Shares> shares_;
  const Lanes* lanes_;
  std::shared_ptr<const ByRank<Bytes>> lane_bytes_;
};

}  // namespace quadrille
