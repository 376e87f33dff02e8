// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/grid_route.hpp"

#include <algorithm>

#include "patterns/deal.hpp"

namespace quadrille {

GridRoute::GridRoute(Count ranks, Count columns, std::optional<Split> split, Bytes grain)
    : array_(ranks, columns), split_(split), grain_(grain) {
  const bool rows = array_.row_steps() > 0, columns_too = array_.column_steps() > 0;
  if (split && rows) passes_.push_back(Pass::deal_along_rows);
  if (split && columns_too) passes_.push_back(Pass::deal_along_columns);
  if (rows) passes_.push_back(Pass::collect_along_rows);
  if (columns_too || ranks == 1) passes_.push_back(Pass::collect_along_columns);
}

std::string_view GridRoute::name(Count number) const {
  switch (pass(number)) {
    case Pass::deal_along_rows: return "deal along rows";
    case Pass::deal_along_columns: return "deal along columns";
    case Pass::collect_along_rows: return "collect along rows";
    case Pass::collect_along_columns: return "collect along columns";
  }
  return "";
}

std::vector<SliceRoute::Meeting> GridRoute::meetings(Count number, Rank me) const {
  const auto other = [&](std::optional<Rank> rank) { return rank == me ? std::nullopt : rank; };
  std::vector<Meeting> list;
  if (pass(number) == Pass::deal_along_rows || pass(number) == Pass::collect_along_rows)
    for (Count step = 1; step <= array_.row_steps(); ++step)
      list.push_back({other(array_.row_receiver(me, step)), other(array_.row_sender(me, step))});
  else
    for (Count step = 1; step <= array_.column_steps(); ++step)
      list.push_back({other(array_.column_receiver(me, step)), other(array_.column_sender(me, step))});
  return list;
}

void GridRoute::deal(Count number, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  switch (pass(number)) {
    case Pass::deal_along_rows: return deal_along_row(me, held, hand);
    case Pass::deal_along_columns: return deal_along_column(me, held, hand);
    case Pass::collect_along_rows:
      for (const HeldSlice& slice : held) hand(slice, array_.relay(me, array_.column_of(slice.target)));
      return;
    case Pass::collect_along_columns:
      for (const HeldSlice& slice : held) hand(slice, slice.target);
      return;
  }
}

void GridRoute::deal_along_row(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  Count slot = me;
  for (const HeldSlice& slice : held) {
    if (split_ == Split::paper) slot = array_.column_of(slice.target);
    const Count units = ceil_divide(slice.length(), grain_);
    const SlotCount before(array_, slot), after(array_, slot + units);
    const auto cut = [&](Count column) {
      return times_at_most(after.left_of(array_, column) - before.left_of(array_, column), grain_, slice.length());
    };
    Bytes done = 0;
    for (Count column = 0; column < array_.columns(); ++column) {
      const Bytes end = cut(column + 1);
      if (done < end) hand(slice.part(done, end), array_.relay(me, column));
      done = end;
    }
    slot = (slot + units) % array_.ranks();
  }
}

void GridRoute::deal_along_column(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  const Count column = array_.column_of(me);
  std::vector<Rank> line;
  for (Count row = 0; row < array_.height(column); ++row) line.push_back(array_.rank_at(row, column));
  deal_along(line, size(line), array_.row_of(me), *split_, grain_, held, hand);
}

}  // namespace quadrille
