// SPDX-License-Identifier: BSD-3-Clause
// The route of an irregular exchange in a full array of ranks with any number of dimensions: algorithms A3 and A4 of
// [liu2002] with more stages, as its section 5 proposes. In each pass a rank meets the other ranks of its line along
// one dimension, beginning with the last dimension. In a collecting pass, data moves to the coordinate of its target in
// this dimension. Before the collecting passes, data may be dealt out along each dimension, so that all ranks hold
// about the same amount for every target. A dimension of length 1 has no pass. With two dimensions, the route is the
// GridRoute of a full grid.
#pragma once

#include "collectives/slices/slice_dealing.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class ArrayRoute : public SliceRoute {
 public:
  // Ranks are numbered as in nested loops: the last coordinate varies fastest. Without `split`, nothing is dealt out.
  // Data that is dealt out is cut into units of `grain` bytes.
  ArrayRoute(std::vector<Count> sides, std::optional<Split> split, Bytes grain);

  Count ranks() const override { return ranks_; }
  Count passes() const override { return size(passes_); }
  std::string_view name(Count pass) const override { return at(pass).name; }
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  // Orders targets by the last coordinate, then by the second last, and so on. So the targets whose data goes to one
  // rank in a collecting pass have consecutive places.
  Count place_of(Rank target) const override;
  Rank at_place(Count place) const override;
  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override;

 private:
  struct Dimension {
    Count side = 1;
    Count stride = 1;  // distance in ranks between neighbours
  };
  struct Pass {
    Dimension dimension;
    bool deals = false;
    std::string name;
  };

  const Pass& at(Count pass) const { return passes_[index(pass)]; }
  static Count coordinate(const Dimension& dimension, Rank rank) { return rank / dimension.stride % dimension.side; }
  static Rank with_coordinate(const Dimension& dimension, Rank rank, Count wanted) {
    return rank + (wanted - coordinate(dimension, rank)) * dimension.stride;
  }

  Count ranks_ = 1;
  std::vector<Dimension> dimensions_;
  std::optional<Split> split_;
  Bytes grain_;
  std::vector<Pass> passes_;
};

}  // namespace quadrille
