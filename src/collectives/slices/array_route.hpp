// SPDX-License-Identifier: BSD-3-Clause
// The route of an irregular exchange in an array of ranks with any number of dimensions: algorithms A3 and A4 of
// [liu2002] with more stages, as its section 5 proposes. In each pass a rank meets the other ranks of its line along
// one dimension, beginning with the last dimension. In a collecting pass, data moves to the coordinate of its target in
// this dimension. Before the collecting passes, data may be dealt out along each dimension, so that all ranks hold
// about the same amount for every target. A dimension of length 1 has no pass. With two dimensions, the route on a full
// array is the GridRoute of a full grid.
//
// The ranks fill the array in their order, and the last slab, the ranks with the last coordinate in the first dimension, may
// be incomplete. Data of its ranks for a place that is empty goes to a rank of an earlier slab with the same coordinates in
// the other dimensions. These *additional* messages follow the rounds of the full array. The pass along the first dimension
// comes last, so the data still reaches its target.
#pragma once

#include "collectives/slices/slice_dealing.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class ArrayRoute : public SliceRoute {
 public:
  // Returns the reason why the ranks do not fill such an array, if they do not.
  static Result<> check(Count ranks, const std::vector<Count>& sides);

  // The sides must pass `check`. Ranks are numbered as in nested loops: the last coordinate varies fastest. Without `split`,
  // nothing is dealt out. Data that is dealt out is cut into units of `grain` bytes.
  ArrayRoute(Count ranks, std::vector<Count> sides, std::optional<Split> split, Bytes grain);

  Count ranks() const override { return ranks_; }
  Count passes() const override { return size(passes_); }
  std::string_view name(Count pass) const override { return at(pass).name; }
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  // Orders targets by the last coordinate, then by the second last, and so on. So the targets whose data goes to one
  // rank in a collecting pass have consecutive places.
  Count place_of(Rank target) const override { return places_[index(target)]; }
  Rank at_place(Count place) const override { return targets_[index(place)]; }
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
    Count additional_rounds = 0;
  };

  const Pass& at(Count pass) const { return passes_[index(pass)]; }
  static Count coordinate(const Dimension& dimension, Rank rank) { return rank / dimension.stride % dimension.side; }
  static Rank with_coordinate(const Dimension& dimension, Rank rank, Count wanted) {
    return rank + (wanted - coordinate(dimension, rank)) * dimension.stride;
  }
  bool is_first(const Dimension& dimension) const { return dimension.stride == slabs_.stride; }
  Count line_length(const Dimension& dimension, Rank rank) const;  // how many ranks the line of `rank` has
  Count additional_rounds(const Dimension& dimension, Count line_length) const;
  Rank relay(const Dimension& dimension, Rank rank, Count wanted) const;
  Meeting additional_meeting(const Dimension& dimension, Rank me, Count round) const;

  Count ranks_;
  std::vector<Dimension> dimensions_;
  Dimension slabs_;  // the first dimension
  std::optional<Split> split_;
  Bytes grain_;
  std::vector<Pass> passes_;
  std::vector<Count> places_;  // by target
  std::vector<Rank> targets_;  // by place
};

}  // namespace quadrille
