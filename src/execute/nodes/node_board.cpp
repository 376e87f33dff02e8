// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/node_board.hpp"

#include <algorithm>
#include <new>

#include "execute/shared/memory/placing.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/assert.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64;

// The most bytes of a rank's parts in one exchange. Copying more of them twice would take longer than the wait that this saves.
constexpr Bytes most_part_bytes = 4096;

}  // namespace

const NodeBoard::Row NodeBoard::nothing_;

NodeBoard::NodeBoard(SharedSpace& space, Count nodes, Bytes message_bytes)
    : space_(space),
      nodes_(nodes),
      message_bytes_(rounded_up(message_bytes, line)),
      part_bytes_(space.size() > 1 ? most_part_bytes : 0) {}

Bytes NodeBoard::control_bytes() const {
  const Count pages = 2 * space_.size();
  return placed_bytes<Closing>(1) + 2 * placed_bytes<OneFlag>(space_.size()) + placed_bytes<Missing>(space_.size()) +
         placed_bytes<MessageArrival>(nodes_) + placed_bytes<Number>(pages) + placed_bytes<Row>(pages * nodes_) +
         pages * part_bytes_ + nodes_ * 2 * message_bytes_;
}

// Rank 0 initialises what is not one rank's own. The ranks meet before they use it.
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
  return all_have_entered(needed);
}

NodeBoard::Page NodeBoard::own_page(std::uint64_t exchange) const {
  const Count page = page_of(space_.rank(), exchange);
  numbers_[page].store(exchange, std::memory_order_relaxed);
  return {{rows_ + page * nodes_, index(nodes_)}, {parts_ + page * part_bytes_, index(part_bytes_)}};
}

bool NodeBoard::all_have_entered(std::uint64_t exchange) {
  if (all_entered_ >= exchange) return true;
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
