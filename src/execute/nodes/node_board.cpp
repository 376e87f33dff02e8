// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/node_board.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "execute/script/copies.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"
#include "foundation/planted.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Bytes number_bytes = sizeof(std::uint32_t);

Bytes head_bytes(Count senders, Count edges) { return packed_bytes(senders, {0, edges}); }

void put(std::byte* message, Count position, Count value) {
  const auto number = static_cast<std::uint32_t>(value);
  std::memcpy(message + position * number_bytes, &number, sizeof number);
}

std::uint32_t get(const std::byte* message, Count position) {
  std::uint32_t number = 0;
  std::memcpy(&number, message + position * number_bytes, sizeof number);
  return number;
}

Count first_entry(Count senders, const EdgeTotals& before) { return senders + 1 + 2 * before.edges; }

// Writes the entries at `entries`, and the edges' bytes at `bytes` + `first`. Returns the offset from `bytes` at which the edges
// end.
Bytes put_edges(std::byte* entries, std::byte* bytes, Bytes first, std::span<const PackedEdge> edges) {
  Count entry = 0;
  for (const PackedEdge& edge : edges) {
    put(entries, entry++, edge.receiver);
    put(entries, entry++, first);
    copy_bytes(bytes + first, edge.memory, index(edge.bytes));
    first += edge.bytes;
  }
  return first;
}

constexpr Bytes board_line = 64;

// The limit for the bytes of a rank's parts in one exchange. Longer parts are not prepared: to copy them twice would take longer
// than the wait that preparing saves.
constexpr Bytes most_part_bytes = 4096;

}  // namespace

void pack(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, std::span<const PackedEdge> edges) {
  QUADRILLE_ASSERT(before.edges + static_cast<Count>(edges.size()) <= all.edges);
  const Bytes last = put_edges(message + first_entry(senders, before) * number_bytes, message + head_bytes(senders, all.edges),
                               before.bytes, edges);
  QUADRILLE_ASSERT(last <= all.bytes);
}

void prepare_part(std::byte* part, std::span<const PackedEdge> edges) {
  put_edges(part, part + part_bytes({0, static_cast<Count>(edges.size())}), 0, edges);
}

void add_part(std::byte* message, Count senders, const EdgeTotals& all, const EdgeTotals& before, const std::byte* part,
              const EdgeTotals& own) {
  QUADRILLE_ASSERT(before.edges + own.edges <= all.edges && before.bytes + own.bytes <= all.bytes);
  if (own.edges == 0) return;  // a rank without edges has no part
  std::byte* const entries = message + first_entry(senders, before) * number_bytes;
  for (Count entry = 0; entry < 2 * own.edges; entry += 2) {
    put(entries, entry, get(part, entry));
    put(entries, entry + 1, before.bytes + get(part, entry + 1));
  }
  std::memcpy(message + head_bytes(senders, all.edges) + before.bytes, part + part_bytes({0, own.edges}), index(own.bytes));
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

std::uint32_t PackedMessage::number_at(Count position) const { return get(message_, position); }

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
  if (is_planted("packed edge moved") && first > 0)
    return {message_ + head_bytes(senders_, all_.edges) + first - 1, index(last - first)};
  return {message_ + head_bytes(senders_, all_.edges) + first, index(last - first)};
}

const NodeBoard::Row NodeBoard::nothing_;

NodeBoard::NodeBoard(SharedSpace& space, Count nodes, Bytes message_bytes)
    : space_(space),
      nodes_(nodes),
      message_bytes_(rounded_up(message_bytes, board_line)),
      part_bytes_(space.size() > 1 ? most_part_bytes : 0) {}

Bytes NodeBoard::control_bytes() const {
  const Count pages = 2 * space_.size();
  return placed_bytes<Closing>(1) + 2 * placed_bytes<OneFlag>(space_.size()) + placed_bytes<Missing>(space_.size()) +
         placed_bytes<MessageArrival>(nodes_) + placed_bytes<Number>(pages) + placed_bytes<Row>(pages * nodes_) +
         pages * part_bytes_ + nodes_ * 2 * message_bytes_;
}

// Rank 0 initialises what belongs to the whole node. A barrier follows before the ranks use it.
void NodeBoard::begin_at(Offset control) {
  control_ = control;
  const Count pages = 2 * space_.size();
  std::byte* at = space_.at(control);
  const std::byte* const begin = at;
  closing_ = place<Closing>(at, 1);
  entered_ = place<OneFlag>(at, space_.size());
  packed_ = place<OneFlag>(at, space_.size());
  missing_ = place<Missing>(at, space_.size());
  arrivals_ = place<MessageArrival>(at, nodes_);
  numbers_ = place<Number>(at, pages);
  rows_ = place<Row>(at, pages * nodes_);
  parts_ = at;
  messages_ = parts_ + pages * part_bytes_;
  QUADRILLE_ASSERT(messages_ - begin + nodes_ * 2 * message_bytes_ == control_bytes());
  new (entered_ + space_.rank()) OneFlag;
  new (packed_ + space_.rank()) OneFlag;
  new (missing_ + space_.rank()) Missing{0};
  for (const std::uint64_t turn : {0, 1}) new (numbers_ + page_of(space_.rank(), turn)) Number{0};
  if (space_.rank() != 0) return;
  new (closing_) Closing;
  for (Count node = 0; node < nodes_; ++node) new (arrivals_ + node) MessageArrival;
}

void NodeBoard::close() {
  closing_->close();
  if (space_.rank() == 0)
    space_.retire(control_, [closing = closing_, ranks = space_.size()] { return closing->have_closed(ranks); });
}

bool NodeBoard::may_enter(std::uint64_t exchange, bool needs_page) {
  std::uint64_t needed = exchange - std::min(exchange, most_ahead);
  if (needs_page)
    if (const auto last = numbers_[page_of(space_.rank(), exchange)].load(std::memory_order_relaxed); last > 0)
      needed = std::max(needed, last + 1);
  return is_planted("page reused early") || all_have_entered(needed);
}

NodeBoard::Page NodeBoard::own_page(std::uint64_t exchange) const {
  const Count page = page_of(space_.rank(), exchange);
  numbers_[page].store(exchange, std::memory_order_relaxed);
  return {{rows_ + page * nodes_, index(nodes_)}, {parts_ + page * part_bytes_, index(part_bytes_)}};
}

bool NodeBoard::all_have_entered(std::uint64_t exchange) {
  if (all_entered_ >= exchange || is_planted("board read early")) return true;
  if (seen_ != exchange) seen_ = exchange, first_unseen_ = 0, least_seen_ = std::numeric_limits<std::uint64_t>::max();
  for (; first_unseen_ < space_.size(); ++first_unseen_) {
    const std::uint64_t entered = entered_[first_unseen_].published();
    if (entered < exchange) return false;
    least_seen_ = std::min(least_seen_, entered);
  }
  all_entered_ = least_seen_;
  return true;
}

}  // namespace quadrille
