// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/vector_parts.hpp"

namespace quadrille {

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
            const Rank root =
                is_rooted(collective) ? lanes.lanes().index_of(lanes.leader(lanes.group(parts.roots_node(), lane))) : 0;
            return part_of_vector(*parts.problem_, collective, lanes.node_count(), parts.bytes(lane), root);
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
