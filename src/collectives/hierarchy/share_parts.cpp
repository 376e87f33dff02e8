// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/share_parts.hpp"

#include <numeric>

namespace quadrille {

ShareParts::ShareParts(const Problem& problem, const Lanes& lanes)
    : shares_(std::make_shared<const Shares>(problem)), lanes_(&lanes) {
  ByRank<Bytes> bytes(lanes.count());
  for (Count lane = 0; lane < lanes.count(); ++lane) {
    const std::vector<Bytes> counts = counts_in_lane(lane);
    bytes[lane] = std::accumulate(counts.begin(), counts.end(), Bytes{0});
  }
  lane_bytes_ = std::make_shared<const ByRank<Bytes>>(std::move(bytes));
}

std::vector<Bytes> ShareParts::counts_in_group(Count group) const {
  std::vector<Bytes> counts;
  for (const Rank rank : lanes_->groups().ranks(group)) counts.push_back(shares_->of(rank));
  return counts;
}

std::vector<Bytes> ShareParts::counts_in_lane(Count lane) const {
  std::vector<Bytes> counts;
  for (const Rank leader : lanes_->lanes().ranks(lane)) counts.push_back(bytes_of_group(lanes_->groups().node_of(leader)));
  return counts;
}

std::vector<Bytes> ShareParts::counts_in_node(Count node) const {
  return counts_of_leaders(*lanes_, lanes_->nodes().ranks(node), [&](Count lane) { return bytes_of_lane(lane); });
}

Bytes ShareParts::bytes_of_group(Count group) const {
  Bytes sum = 0;
  for (const Rank rank : lanes_->groups().ranks(group)) sum += shares_->of(rank);
  return sum;
}

Bytes ShareParts::bytes_before_group(Rank leader) const {
  Bytes sum = 0;
  for (const Rank other : lanes_->lanes().ranks(lanes_->lane_of(leader)).first(index(lanes_->lanes().index_of(leader))))
    sum += bytes_of_group(lanes_->groups().node_of(other));
  return sum;
}

Regions ShareParts::of_group(Buffer buffer, Count group) const {
  Regions regions;
  add_group(regions, buffer, group);
  return regions;
}

Regions ShareParts::of_lane(Buffer buffer, Count lane, std::optional<Rank> from) const {
  Regions regions;
  add_lane(regions, buffer, lane, from);
  return regions;
}

Regions ShareParts::of_all(Buffer buffer, std::optional<Rank> from) const {
  Regions regions;
  for (Count lane = 0; lane < lanes_->count(); ++lane) add_lane(regions, buffer, lane, from);
  return regions;
}

void ShareParts::add_group(Regions& regions, Buffer buffer, Count group) const {
  for (const Rank rank : lanes_->groups().ranks(group))
    if (shares_->of(rank) > 0) append_folded(regions, shares_->of(buffer, rank));
}

void ShareParts::add_lane(Regions& regions, Buffer buffer, Count lane, std::optional<Rank> from) const {
  const auto leaders = lanes_->lanes().ranks(lane);
  const std::size_t first =
      from ? index(lanes_->lanes().index_of(lanes_->leader(lanes_->group(lanes_->nodes().node_of(*from), lane)))) : 0;
  for (std::size_t i = 0; i < leaders.size(); ++i)
    add_group(regions, buffer, lanes_->groups().node_of(leaders[(first + i) % leaders.size()]));
}

}  // namespace quadrille
