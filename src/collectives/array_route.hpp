// SPDX-License-Identifier: BSD-3-Clause
// The ways of an irregular exchange in a full array of any number of dimensions: A3 and A4 of [liu2002] with more stages, as its
// section 5 proposes. In each pass a rank meets the others of its line along one dimension, the last dimension first. Either
// everything goes to its target's coordinate dimension by dimension, or it is first dealt out along each dimension, so that
// afterwards everybody has about as much for every target. A dimension of one rank has no pass.
// Of two dimensions it is the GridRoute of a full grid.
#pragma once

#include "collectives/slice_dealing.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class ArrayRoute : public SliceRoute {
 public:
  // Ranks stand in the array as they do in nested loops: the last coordinate is that of neighbours. `split` absent: nothing is
  // dealt out. What is dealt out is cut between units of `grain` bytes.
  ArrayRoute(std::vector<Count> sides, std::optional<Split> split, Bytes grain);

  Count ranks() const override { return ranks_; }
  Count passes() const override { return size(passes_); }
  std::string_view name(Count pass) const override { return at(pass).name; }
  std::vector<Meeting> meetings(Count pass, Rank me) const override;
  // By the last coordinate, then the one before it: what a pass of collecting sends to a rank is one run of places.
  Count place_of(Rank target) const override;
  Rank at_place(Count place) const override;
  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override;

 private:
  struct Dimension {
    Count side = 1;
    Count stride = 1;  // from a rank to its neighbour
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
