// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/hierarchy.hpp"

#include <numeric>

namespace quadrille {
namespace {

// The number, in a lane, of the root of the lane's collective: the leader on the node of the whole problem's root.
Rank root_between(const Problem& problem, Collective collective, const Lanes& lanes, Count lane) {
  if (!is_rooted(collective)) return 0;
  return lanes.lanes().index_of(lanes.leader(lanes.group(lanes.nodes().node_of(problem.root), lane)));
}

}  // namespace

ShareParts::ShareParts(const Problem& problem, const Lanes& lanes)
    : shares_(std::make_shared<const Shares>(problem)), problem_(&problem), lanes_(&lanes) {
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

Phase ShareParts::in_groups(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                            std::function<Regions(Rank)> output) const {
  return {.stage = std::move(stage),
          .groups = &lanes_->groups(),
          .problem = [parts = *this, collective](Count group) -> std::optional<Problem> {
            const Lanes& lanes = *parts.lanes_;
            if (lanes.groups().size(group) == 1) return std::nullopt;
            return part_of_shares(*parts.problem_, collective, parts.counts_in_group(group),
                                  lanes.groups().index_of(lanes.leader(group)));
          },
          .input = std::move(input),
          .output = std::move(output)};
}

Phase ShareParts::between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                                std::function<Regions(Rank)> output) const {
  return {.stage = std::move(stage),
          .where = Phase::Where::between,
          .groups = &lanes_->lanes(),
          .problem = [parts = *this, collective](Count lane) -> std::optional<Problem> {
            if (lane == parts.lanes_->count()) return std::nullopt;
            return part_of_shares(*parts.problem_, collective, parts.counts_in_lane(lane),
                                  root_between(*parts.problem_, collective, *parts.lanes_, lane));
          },
          .input = std::move(input),
          .output = std::move(output)};
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

Regions VectorParts::held(Buffer buffer, Rank rank) const {
  return lanes_->leads(rank) ? Regions{at(buffer, lanes_->lane_of(rank))} : Regions{};
}

Regions VectorParts::of_node(Rank rank) const {
  if (!lanes_->leads(rank)) return {};
  if (lanes_->nodes().size(lanes_->nodes().node_of(rank)) == 1) return {whole(Buffer::input)};
  return {{Buffer::scratch, 0, bytes(lanes_->lane_of(rank)), {}}};
}

Problem VectorParts::shared_out(Collective collective, Count node, Rank root) const {
  const auto counts = counts_of_leaders(*lanes_, lanes_->nodes().ranks(node), [&](Count lane) { return bytes(lane); });
  return part_of_shares(*problem_, collective, counts, root);
}

Phase VectorParts::combine_in_nodes() const {
  return {.stage = "combine in nodes",
          .groups = &lanes_->nodes(),
          .problem = [parts = *this](Count node) -> std::optional<Problem> {
            const Lanes& lanes = *parts.lanes_;
            if (lanes.count() > 1) return parts.shared_out(Collective::reduce_scatter, node);
            return part_of_vector(*parts.problem_, Collective::reduce, lanes.nodes().size(node), parts.problem_->block_bytes,
                                  lanes.nodes().index_of(lanes.leader(node)));
          },
          .input = [parts = *this](Rank) { return Regions{parts.whole(Buffer::input)}; },
          .output = [parts = *this](Rank rank) { return parts.of_node(rank); }};
}

Phase VectorParts::spread_in_nodes() const {
  return {.stage = lanes_->count() == 1 ? "broadcast in nodes" : "gather in nodes",
          .groups = &lanes_->nodes(),
          .problem = [parts = *this](Count node) -> std::optional<Problem> {
            const Lanes& lanes = *parts.lanes_;
            if (lanes.count() > 1) return parts.shared_out(Collective::allgather, node);
            return part_of_vector(*parts.problem_, Collective::broadcast, lanes.nodes().size(node), parts.problem_->block_bytes,
                                  lanes.nodes().index_of(lanes.leader(node)));
          },
          .input = [parts = *this](Rank rank) { return parts.held(Buffer::output, rank); },
          .output = [parts = *this](Rank) { return Regions{parts.whole(Buffer::output)}; }};
}

Phase VectorParts::between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                                 std::function<Regions(Rank)> output) const {
  return {.stage = std::move(stage),
          .where = Phase::Where::between,
          .groups = &lanes_->lanes(),
          .problem = [parts = *this, collective](Count lane) -> std::optional<Problem> {
            const Lanes& lanes = *parts.lanes_;
            if (lane == lanes.count()) return std::nullopt;
            return part_of_vector(*parts.problem_, collective, lanes.node_count(), parts.bytes(lane),
                                  root_between(*parts.problem_, collective, lanes, lane));
          },
          .input = std::move(input),
          .output = std::move(output)};
}

Phase VectorParts::in_roots_node(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                                 std::function<Regions(Rank)> output) const {
  return {.stage = std::move(stage),
          .groups = &lanes_->nodes(),
          .problem = [parts = *this, collective](Count node) -> std::optional<Problem> {
            if (node != parts.roots_node()) return std::nullopt;
            return parts.shared_out(collective, node, parts.lanes_->nodes().index_of(parts.problem_->root));
          },
          .input = std::move(input),
          .output = std::move(output)};
}

}  // namespace quadrille
