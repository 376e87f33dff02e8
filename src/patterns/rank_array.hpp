// SPDX-License-Identifier: BSD-3-Clause
// Ranks in rows of equal length, of which the last may be shorter. The class says in which step each rank sends to each
// other rank of its row, or of its column, so that no rank ever receives two messages in one step [liu2002, with the
// stall step corrected].
//
// A column that the last row does not reach is *incomplete*. Data from the last row for an incomplete column takes a
// detour: the rank in column m of the last row sends it to the rank in row m of the incomplete column, which is an
// *additional* message. The ranks of a row that receives an additional message *stall*: each of them does not send in
// one of the steps.
#pragma once

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
  // The valid number of columns with the fewest steps for both passes. If several have as few, the one with the least
  // maximum load of a rank.
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

}  // namespace quadrille
