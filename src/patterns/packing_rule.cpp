// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/packing_rule.hpp"

#include <algorithm>
#include <cstdint>

namespace quadrille {
namespace {

// A packed message may have `room_of_pair` bytes for each pair of ranks, but at least `least_room` and at most `most_room`. If
// there are many nodes, the limit is lower: all messages of a node together take at most `most_room_of_node`.
constexpr Bytes least_room = 65536, room_of_pair = 128, most_room = Bytes{1} << 19, most_room_of_node = Bytes{1} << 23;

}  // namespace

PackingRule PackingRule::among(Count nodes, Count most_ranks) {
  PackingRule rule;
  rule.most_bytes =
      std::min(std::clamp(room_of_pair * most_ranks * most_ranks, least_room, most_room), most_room_of_node / (2 * nodes));
  return rule;
}

bool PackingRule::packs(const EdgeTotals& totals, Count senders) const {
  const Count spared_messages = totals.edges - 1;
  return spared_messages > 0 && totals.bytes <= spared_messages * longest_short && packed_bytes(senders, totals) <= most_bytes;
}

// The message begins with numbers of 4 bytes: one for each sender and one more, and two for each edge.
Bytes packed_bytes(Count senders, const EdgeTotals& totals) {
  return static_cast<Bytes>(sizeof(std::uint32_t)) * (senders + 1 + 2 * totals.edges) + totals.bytes;
}

Count MessageWindow::under_way(Count messages, Bytes bytes) const {
  const Bytes mean = std::max<Bytes>(1, messages > 0 ? bytes / messages : 0);
  return std::clamp((link_bytes + mean - 1) / mean, least, most);
}

}  // namespace quadrille
