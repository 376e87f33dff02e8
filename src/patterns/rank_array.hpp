// SPDX-License-Identifier: BSD-3-Clause
// Ranks in rows of equal length; the last row may be shorter. The class says in which step each rank sends to each other rank of
// its row, or of its column, so that no rank receives two messages in one step [liu2002, with the stall step corrected]. Also how
// items are dealt to the ranks in turn.
//
// A column that the last row does not reach is *incomplete*. Data from the last row for an incomplete column takes a
// detour: the rank in column m of the last row sends it to the rank in row m of the incomplete column, which is an
// *additional* message. The ranks of a row that receives an additional message *stall*: each of them does not send in
// one of the steps.
#pragma once

#include <algorithm>
#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

class RankArray {
 public:
  // `columns` must satisfy is_valid.
  RankArray(Count ranks, Count columns);

  // True if the last row is full or has no more ranks than there are rows above it: each rank of the last row needs a
  // row above that takes its additional messages.
  static bool is_valid(Count ranks, Count columns);
  static Count paper_columns(Count ranks);  // ceil(sqrt p) if that is valid, else floor(sqrt p)
  // The valid number of columns with the fewest steps for both passes. Among equal ones, the number with which the busiest rank
  // has the least load.
  static Count best_columns(Count ranks);

  Count ranks() const { return ranks_; }
  Count columns() const { return columns_; }
  Count rows() const { return rows_; }
  Count short_row() const { return short_row_; }  // number of ranks in the last row; 0 if that row is full
  bool is_ragged() const { return short_row_ > 0; }

  Count row_of(Rank rank) const { return rank / columns_; }
  Count column_of(Rank rank) const { return rank % columns_; }
  Rank rank_at(Count row, Count column) const { return row * columns_ + column; }
  bool is_incomplete(Count column) const { return is_ragged() && column >= short_row_; }
  Count height(Count column) const { return is_incomplete(column) ? rows_ - 1 : rows_; }

  // The position of a rank if ranks are counted column by column.
  Count place_of(Rank rank) const { return first_place(column_of(rank)) + row_of(rank); }
  Count first_place(Count column) const { return column * rows_ - (is_incomplete(column) ? column - short_row_ : 0); }

  Rank at_place(Count place) const;

  // The rank that takes the data of `rank` for `column`: the rank of this column in the same row or, if there is none,
  // its substitute. Every rank has exactly one relay for each column.
  Rank relay(Rank rank, Count column) const;
  // The rank of the last row from which `rank` receives an additional message, if any.
  std::optional<Rank> additional_sender(Rank rank) const;

  // Steps are numbered from 1. In each step a rank has at most one receiver and at most one sender, which may be the
  // rank itself. In the last step of a pass over a full row or column every rank sends to itself only; row_steps and
  // column_steps do not count this step.
  Count row_steps() const { return columns_ - 1 + (is_ragged() ? 1 : 0); }
  Count column_steps() const { return rows_ - 1; }
  std::optional<Count> stall(Rank rank) const;
  std::optional<Rank> row_receiver(Rank rank, Count step) const;
  std::optional<Rank> row_sender(Rank rank, Count step) const;
  std::optional<Rank> column_receiver(Rank rank, Count step) const;
  std::optional<Rank> column_sender(Rank rank, Count step) const;

 private:
  Count ranks_, columns_, rows_, short_row_;
};

// Deals items to ranks in turn, like cards [liu2002]. In an array of p ranks with C columns, slot t belongs to column
// (t mod p) mod C, so each of p consecutive slots belongs to another rank. In a column of height h, slot t belongs to row
// t mod h. A rank with n items deals them to slots s, s + 1, .., s + n - 1. The number of its items for a set of columns is the
// number of slots of these columns in [0, s + n), minus the number of their slots in [0, s). The functions below only count
// slots; the caller decides which item goes into which slot.
//
// Counts the slots [0, t) by column. The constructor does all divisions once, because callers ask for many columns.
class SlotCount {
 public:
  SlotCount() = default;
  SlotCount(const RankArray& array, Count t)
      : rounds_(t / array.ranks()), rows_(t % array.ranks() / array.columns()), rest_(t % array.ranks() % array.columns()) {}

  // The number of slots in [0, t) that belong to columns 0 .. column - 1.
  Count left_of(const RankArray& array, Count column) const {
    return rounds_ * array.first_place(column) + rows_ * column + std::min(rest_, column);
  }

 private:
  Count rounds_ = 0, rows_ = 0, rest_ = 0;
};

// The number of slots in [0, t) that belong to rows 0 .. row - 1 of a column of this height.
constexpr Count slots_above(Count t, Count height, Count row) { return t / height * row + std::min(t % height, row); }

// The number of slots in [0, t) that belong to positions 0 .. position - 1, if slots come in circles of `circle` slots, and slot s
// of a circle belongs to position s mod `positions`.
constexpr Count slots_before(Count t, Count circle, Count positions, Count position) {
  return t / circle * slots_above(circle, positions, position) + slots_above(t % circle, positions, position);
}

}  // namespace quadrille
