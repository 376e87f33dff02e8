// SPDX-License-Identifier: BSD-3-Clause
// The ways of an irregular exchange along the rows and columns of an array of nodes [liu2002]: either everything goes along its row
// to the column it is for and then along that column (two passes), or it is first dealt out along row and column, so that
// afterwards everybody has about as much for every target (four passes). A pass along rows or columns of one node is
// left out.
#pragma once

#include "collectives/slice_dealing.hpp"
#include "patterns/node_array.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class GridRoute : public SliceRoute {
 public:
  enum class Pass : std::uint8_t { deal_along_rows, deal_along_columns, collect_along_rows, collect_along_columns };

  // `split` absent: two passes. What is dealt out is cut between units of `grain` bytes.
  GridRoute(Count ranks, Count columns, std::optional<Split> split, Bytes grain);

  const NodeArray& array() const { return array_; }
  Pass pass(Count number) const { return passes_[index(number)]; }

  Count ranks() const override { return array_.nodes(); }
  Count passes() const override { return size(passes_); }
  std::string_view name(Count pass) const override;
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  Count place_of(Rank target) const override { return array_.place_of(target); }
  Rank at_place(Count place) const override { return array_.at_place(place); }
  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override;

 private:
  void deal_along_row(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const;
  void deal_along_column(Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const;

  NodeArray array_;
  std::optional<Split> split_;
  Bytes grain_;
  std::vector<Pass> passes_;
};

}  // namespace quadrille
