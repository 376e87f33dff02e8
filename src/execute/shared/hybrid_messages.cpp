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

ScriptPart part_of(const Script& whole, const std::function<std::optional<Rank>(Rank)>& rank_in_part) {
  auto script = std::make_shared<Script>();
  script->rank = whole.rank;
  script->ranks = whole.ranks;
  script->policy = whole.policy;
  script->longest_message = whole.longest_message;
  script->capacity = whole.capacity;
  ScriptPart part;
  std::vector<std::uint32_t> before(whole.messages.size() + 1);  // by message of the whole: how many before it are in the part
  for (std::uint32_t i = 0; i < whole.messages.size(); ++i) {
    before[i] = static_cast<std::uint32_t>(script->messages.size());
    QUADRILLE_ASSERT(whole.messages[i].effect == Effect::overwrite);
    if (const auto peer = rank_in_part(whole.messages[i].peer)) {
      script->messages.push_back(whole.messages[i]);
      script->messages.back().peer = *peer;
      part.of_whole.push_back(i);
    }
  }
  before.back() = static_cast<std::uint32_t>(script->messages.size());
  for (const Window& window : whole.windows)
    script->windows.push_back({{}, {before[window.messages.first], before[window.messages.last]}, {}});
  QUADRILLE_ASSERT(script->windows.empty() || script->windows.back().messages.last == script->messages.size());
  part.script = std::move(script);
  return part;
}

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
