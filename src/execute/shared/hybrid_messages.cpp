// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/hybrid_messages.hpp"

#include "foundation/assert.hpp"

namespace quadrille {
namespace {

ScriptPart near_part(const Script& whole, const std::vector<Rank>& place) {
  ScriptPart part = part_of(whole, [&](Rank peer) {
    const Rank rank = place[static_cast<std::size_t>(peer)];
    return rank < 0 ? std::nullopt : std::optional(rank);
  });
  part.script->scratch_bytes =
      whole.scratch_bytes;  // scratch and staging belong to the near part, so that ranks of the node can read them
  part.script->staging_bytes = whole.staging_bytes;
  return part;
}

ScriptPart far_part(const Script& whole, const std::vector<Rank>& place) {
  return part_of(whole, [&](Rank peer) { return place[static_cast<std::size_t>(peer)] < 0 ? std::optional(peer) : std::nullopt; });
}

}  // namespace

ScriptByNode::ScriptByNode(const Script& whole, const std::vector<Rank>& place)
    : near(near_part(whole, place)), far(far_part(whole, place)), ends(whole.messages.size()) {
  QUADRILLE_ASSERT(static_cast<Count>(place.size()) == whole.ranks);
  QUADRILLE_ASSERT(near.of_whole.size() + far.of_whole.size() == whole.messages.size());  // each message is in one part
  for (std::uint32_t i = 0; i < near.of_whole.size(); ++i) ends[near.of_whole[i]] = {true, i};
  for (std::uint32_t i = 0; i < far.of_whole.size(); ++i) ends[far.of_whole[i]] = {false, i};
}

std::vector<Rank> ranks_by_place(const std::vector<Rank>& place, Count ranks_of_node) {
  std::vector<Rank> ranks(static_cast<std::size_t>(ranks_of_node));
  for (std::size_t rank = 0; rank < place.size(); ++rank)
    if (place[rank] >= 0) {
      QUADRILLE_ASSERT(place[rank] < ranks_of_node);
      ranks[static_cast<std::size_t>(place[rank])] = static_cast<Rank>(rank);
    }
  return ranks;
}

}  // namespace quadrille
