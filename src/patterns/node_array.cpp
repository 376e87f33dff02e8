// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/node_array.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "patterns/modulo.hpp"

namespace quadrille {
namespace {

Count floor_square_root(Count n) {
  Count root = 0;
  while ((root + 1) <= n / (root + 1)) ++root;
  return root;
}

}  // namespace

NodeArray::NodeArray(Count nodes, Count columns)
    : nodes_(nodes), columns_(columns), rows_(ceil_divide(nodes, columns)), short_row_(nodes % columns) {
  assert(is_valid(nodes, columns));
}

bool NodeArray::is_valid(Count nodes, Count columns) {
  if (columns < 1 || columns > nodes) return false;
  return nodes % columns <= std::max<Count>(0, ceil_divide(nodes, columns) - 1);
}

Count NodeArray::paper_columns(Count nodes) {
  const Count root = floor_square_root(nodes);
  const Count ceiling = root * root == nodes ? root : root + 1;
  return is_valid(nodes, ceiling) ? ceiling : root;
}

Count NodeArray::best_columns(Count nodes) {
  const auto cost = [&](Count columns) {
    const NodeArray array(nodes, columns);
    const Count load = std::max(array.rows() * columns, array.is_ragged() ? (array.rows() - 1) * (columns + 1) : 0);
    return std::tuple(array.row_steps() + array.column_steps(), load);
  };
  Count best = 1;
  for (Count columns = 2; columns <= nodes; ++columns)
    if (is_valid(nodes, columns) && cost(columns) < cost(best)) best = columns;
  return best;
}

Rank NodeArray::at_place(Count place) const {
  const Count complete = is_ragged() ? short_row_ : columns_, in_complete = complete * rows_;
  if (place < in_complete) return node_at(place % rows_, place / rows_);
  return node_at((place - in_complete) % (rows_ - 1), complete + (place - in_complete) / (rows_ - 1));
}

Rank NodeArray::relay(Rank node, Count column) const {
  const Rank neighbour = node_at(row_of(node), column);
  return neighbour < nodes_ ? neighbour : node_at(column_of(node), column);
}

std::optional<Rank> NodeArray::additional_sender(Rank node) const {
  if (!is_incomplete(column_of(node)) || row_of(node) >= short_row_) return std::nullopt;
  return node_at(rows_ - 1, row_of(node));
}

Count NodeArray::feeder_count(Rank node) const {
  const Count row_length = std::min(columns_, nodes_ - node_at(row_of(node), 0));
  return row_length + (additional_sender(node) ? 1 : 0);
}

// The step in which a node of a row that gets additional messages must not send, since its next receiver gets one then.
// The paper's table for 61 nodes has r - m + k; its formula, r - m + 1 + k, leaves one conflict a row.
std::optional<Count> NodeArray::stall(Rank node) const {
  const Count m = row_of(node);
  if (m >= short_row_) return std::nullopt;
  const Count k = modulo(m - column_of(node), columns_);
  if (k > columns_ - short_row_ + m) return std::nullopt;
  return short_row_ - m + k;
}

std::optional<Rank> NodeArray::row_receiver(Rank node, Count step) const {
  const std::optional<Count> stalled = stall(node);
  const bool late = stalled && step > *stalled;  // one step behind
  if (step < 1 || step > columns_ + (late ? 1 : 0) || step == stalled) return std::nullopt;
  return relay(node, (column_of(node) + step - (late ? 1 : 0)) % columns_);
}

std::optional<Rank> NodeArray::row_sender(Rank node, Count step) const {
  const Count m = row_of(node), c = column_of(node);
  if (const auto extra = additional_sender(node); extra && step == c - m) return extra;
  const auto at_distance = [&](Count distance) -> std::optional<Rank> {
    const Rank sender = node_at(m, modulo(c - distance, columns_));
    return sender < nodes_ ? std::optional(sender) : std::nullopt;
  };
  if (step < 1 || step > columns_ + 1) return std::nullopt;
  if (const auto sender = at_distance(step); sender && step <= columns_)
    if (const auto stalled = stall(*sender); !stalled || *stalled > step) return sender;
  if (const auto sender = at_distance(step - 1))
    if (const auto stalled = stall(*sender); stalled && *stalled < step) return sender;
  return std::nullopt;
}

std::optional<Rank> NodeArray::column_receiver(Rank node, Count step) const {
  const Count h = height(column_of(node));
  if (step < 1 || step > h) return std::nullopt;
  return node_at((row_of(node) + step) % h, column_of(node));
}

std::optional<Rank> NodeArray::column_sender(Rank node, Count step) const {
  const Count h = height(column_of(node));
  if (step < 1 || step > h) return std::nullopt;
  return node_at((row_of(node) - step + h) % h, column_of(node));
}

}  // namespace quadrille
