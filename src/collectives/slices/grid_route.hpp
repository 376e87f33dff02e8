// SPDX-License-Identifier: BSD-3-Clause
// The route of an irregular exchange along the rows and columns of an array of ranks [liu2002]. With two passes, data
// goes along the row to the column of its target and then along that column. With four passes, data is first dealt out
// along row and column, so that all ranks hold about the same amount for every target. A pass along rows or columns of
// one rank is left out.
#pragma once

#include "collectives/slices/slice_dealing.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class GridRoute : public SliceRoute {
 public:
  enum class Pass : std::uint8_t { deal_along_rows, deal_along_columns, collect_along_rows, collect_along_columns };

  // Without `split` there are two passes. Data that is dealt out is cut into units of `grain` bytes.
  GridRoute(Count ranks, Count columns, std::optional<Split> split, Bytes grain);

  const RankArray& array() const { return array_; }
  Pass pass(Count number) const { return passes_[index(number)]; }

  Count ranks() const override { return array_.ranks(); }
  Count passes() const override { return size(passes_); }
  std::string_view name(Count pass) const override;
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  Count place_of(Rank target) const override { return array_.place_of(target); }
  Rank at_place(Count place) const override { return array_.at_place(place); }
  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override;

 private:
  void deal_along_row(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const;
  void deal_along_column(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const;

  RankArray array_;
  std::optional<Split> split_;
  Bytes grain_;
  std::vector<Pass> passes_;
};

}  // namespace quadrille
