// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/rank_array.hpp"

#include <algorithm>
#include <tuple>

#include "foundation/assert.hpp"
#include "patterns/integers.hpp"

namespace quadrille {
namespace {

Count floor_square_root(Count n) {
  Count root = 0;
  while ((root + 1) <= n / (root + 1)) ++root;
  return root;
}

}  // namespace

RankArray::RankArray(Count ranks, Count columns)
    : ranks_(ranks), columns_(columns), rows_(ceil_divide(ranks, columns)), short_row_(ranks % columns) {
  QUADRILLE_ASSERT(is_valid(ranks, columns));
}

bool RankArray::is_valid(Count ranks, Count columns) {
  if (columns < 1 || columns > ranks) return false;
  return ranks % columns <= std::max<Count>(0, ceil_divide(ranks, columns) - 1);
}

Count RankArray::paper_columns(Count ranks) {
  const Count root = floor_square_root(ranks);
  const Count ceiling = root * root == ranks ? root : root + 1;
  return is_valid(ranks, ceiling) ? ceiling : root;
}

Count RankArray::best_columns(Count ranks) {
  const auto cost = [&](Count columns) {
    const RankArray array(ranks, columns);
    const Count load = std::max(array.rows() * columns, array.is_ragged() ? (array.rows() - 1) * (columns + 1) : 0);
    return std::tuple(array.row_steps() + array.column_steps(), load);
  };
  Count best = 1;
  for (Count columns = 2; columns <= ranks; ++columns)
    if (is_valid(ranks, columns) && cost(columns) < cost(best)) best = columns;
  return best;
}

Rank RankArray::at_place(Count place) const {
  const Count complete = is_ragged() ? short_row_ : columns_, in_complete = complete * rows_;
  if (place < in_complete) return rank_at(place % rows_, place / rows_);
  return rank_at((place - in_complete) % (rows_ - 1), complete + (place - in_complete) / (rows_ - 1));
}

Rank RankArray::relay(Rank rank, Count column) const {
  const Rank neighbour = rank_at(row_of(rank), column);
  return neighbour < ranks_ ? neighbour : rank_at(column_of(rank), column);
}

std::optional<Rank> RankArray::additional_sender(Rank rank) const {
  if (!is_incomplete(column_of(rank)) || row_of(rank) >= short_row_) return std::nullopt;
  return rank_at(rows_ - 1, row_of(rank));
}

// The step in which a rank of a row with an additional message must not send, because its next receiver gets the additional
// message in this step. The formula r - m + k agrees with the paper's table for 61 ranks. The formula that the paper prints,
// r - m + 1 + k, leaves one conflict in each row.
std::optional<Count> RankArray::stall(Rank rank) const {
  const Count m = row_of(rank);
  if (m >= short_row_) return std::nullopt;
  const Count k = modulo(m - column_of(rank), columns_);
  if (k > columns_ - short_row_ + m) return std::nullopt;
  return short_row_ - m + k;
}

std::optional<Rank> RankArray::row_receiver(Rank rank, Count step) const {
  const std::optional<Count> stalled = stall(rank);
  const bool late = stalled && step > *stalled;  // one step behind schedule
  if (step < 1 || step > columns_ + (late ? 1 : 0) || step == stalled) return std::nullopt;
  return relay(rank, (column_of(rank) + step - (late ? 1 : 0)) % columns_);
}

std::optional<Rank> RankArray::row_sender(Rank rank, Count step) const {
  const Count m = row_of(rank), c = column_of(rank);
  if (const auto extra = additional_sender(rank); extra && step == c - m) return extra;
  const auto at_distance = [&](Count distance) -> std::optional<Rank> {
    const Rank sender = rank_at(m, modulo(c - distance, columns_));
    return sender < ranks_ ? std::optional(sender) : std::nullopt;
  };
  if (step < 1 || step > columns_ + 1) return std::nullopt;
  if (const auto sender = at_distance(step); sender && step <= columns_)
    if (const auto stalled = stall(*sender); !stalled || *stalled > step) return sender;
  if (const auto sender = at_distance(step - 1))
    if (const auto stalled = stall(*sender); stalled && *stalled < step) return sender;
  return std::nullopt;
}

std::optional<Rank> RankArray::column_receiver(Rank rank, Count step) const {
  const Count h = height(column_of(rank));
  if (step < 1 || step > h) return std::nullopt;
  return rank_at((row_of(rank) + step) % h, column_of(rank));
}

std::optional<Rank> RankArray::column_sender(Rank rank, Count step) const {
  const Count h = height(column_of(rank));
  if (step < 1 || step > h) return std::nullopt;
  return rank_at((row_of(rank) - step + h) % h, column_of(rank));
}

}  // namespace quadrille
