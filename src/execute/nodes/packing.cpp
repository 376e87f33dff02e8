// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/packing.hpp"

#include <algorithm>
#include <cstring>

#include "execute/script/copies.hpp"
#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes number_bytes = sizeof(std::uint32_t);

Bytes head_bytes(Count senders, Count edges) { return packed_bytes(senders, {0, edges}); }

void put(std::byte* message, Count position, Count value) {
  const auto number = static_cast<std::uint32_t>(value);
  std::memcpy(message + position * number_bytes, &number, sizeof number);
}

}  // namespace

void pack(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, std::span<const PackedEdge> edges) {
  std::byte* const bytes = message + head_bytes(senders, all.edges);
  Count entry = senders + 1 + 2 * before.edges;
  Bytes at = before.bytes;
  for (const PackedEdge& edge : edges) {
    put(message, entry++, edge.receiver);
    put(message, entry++, at);
    copy_bytes(bytes + at, edge.memory, index(edge.bytes));
    at += edge.bytes;
  }
  QUADRILLE_ASSERT(at <= all.bytes && entry <= senders + 1 + 2 * all.edges);
}

void TableWriter::add(Count edges) {
  put(message_, senders_++, edges_);
  edges_ += edges;
}

PackedMessage::PackedMessage(const std::byte* message, Bytes bytes, Count senders) : message_(message), senders_(senders) {
  if (bytes < head_bytes(senders, 0)) return;
  const Count edges = number_at(senders);
  const Bytes left = bytes - head_bytes(senders, edges);
  if (left >= 0) all_ = {left, edges};
}

std::uint32_t PackedMessage::number_at(Count position) const {
  std::uint32_t number = 0;
  std::memcpy(&number, message_ + position * number_bytes, sizeof number);
  return number;
}

PackedMessage::Range PackedMessage::edges(Rank sender, Rank receiver) const {
  if (all_.edges == 0) return {};
  const Count last = std::min<Count>(number_at(sender + 1), all_.edges), first = std::min<Count>(number_at(sender), last);
  const auto begin_of = [&](Rank place) {
    Count low = first, high = last;
    while (low < high) {
      const Count middle = low + (high - low) / 2;
      if (static_cast<Rank>(receiver_of(middle)) < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const Count begin = begin_of(receiver);
  return {begin, begin_of(receiver + 1)};
}

EdgeTotals PackedMessage::totals_to(Rank receiver) const {
  EdgeTotals sum;
  for (Rank sender = 0; sender < senders_; ++sender) {
    const Range range = edges(sender, receiver);
    for (Count number = range.first; number < range.last; ++number) sum.add({static_cast<Bytes>(edge(number).size()), 1});
  }
  return sum;
}

std::span<const std::byte> PackedMessage::edge(Count number) const {
  const Bytes last = number + 1 < all_.edges ? std::min(first_byte_of(number + 1), all_.bytes) : all_.bytes;
  const Bytes first = std::min(first_byte_of(number), last);
  return {message_ + head_bytes(senders_, all_.edges) + first, index(last - first)};
}

}  // namespace quadrille
