// SPDX-License-Identifier: BSD-3-Clause
#include "execute/nodes/node_board.hpp"

#include <new>

#include "execute/shared/memory/placing.hpp"
#include "foundation/assert.hpp"
#include "foundation/rounding.hpp"

namespace quadrille {
namespace {

constexpr Bytes line = 64;

}  // namespace

NodeBoard::NodeBoard(SharedSpace& space, Count nodes, Bytes message_bytes)
    : space_(space), nodes_(nodes), message_bytes_(rounded_up(message_bytes, line)) {}

Bytes NodeBoard::control_bytes() const {
  return placed_bytes<Closing>(1) + 2 * placed_bytes<OneFlag>(space_.size()) + placed_bytes<Missing>(space_.size()) +
         placed_bytes<MessageArrival>(nodes_) + placed_bytes<Row>(2 * space_.size() * nodes_) + nodes_ * 2 * message_bytes_;
}

// Rank 0 initialises what is not one rank's own. The ranks meet before they use it.
void NodeBoard::begin_at(Offset control) {
  control_ = control;
  std::byte* at = space_.at(control);
  const std::byte* const begin = at;
  closing_ = place<Closing>(at, 1);
  shown_ = place<OneFlag>(at, space_.size());
  packed_ = place<OneFlag>(at, space_.size());
  missing_ = place<Missing>(at, space_.size());
  arrivals_ = place<MessageArrival>(at, nodes_);
  rows_ = place<Row>(at, 2 * space_.size() * nodes_);
  messages_ = at;
  QUADRILLE_ASSERT(at - begin + nodes_ * 2 * message_bytes_ == control_bytes());
  new (shown_ + space_.rank()) OneFlag;
  new (packed_ + space_.rank()) OneFlag;
  new (missing_ + space_.rank()) Missing{0};
  if (space_.rank() != 0) return;
  new (closing_) Closing;
  for (Count node = 0; node < nodes_; ++node) new (arrivals_ + node) MessageArrival;
}

void NodeBoard::close() {
  closing_->close();
  if (space_.rank() == 0)
    space_.retire(control_, [closing = closing_, ranks = space_.size()] { return closing->have_closed(ranks); });
}

bool NodeBoard::all_show_rows(std::uint64_t exchange) {
  if (seen_ != exchange) seen_ = exchange, first_unseen_ = 0;
  while (first_unseen_ < space_.size() && shown_[first_unseen_].published() >= exchange) ++first_unseen_;
  return first_unseen_ == space_.size();
}

}  // namespace quadrille
