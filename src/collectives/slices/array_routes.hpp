// SPDX-License-Identifier: BSD-3-Clause
// Routes of irregular exchanges in arrays of ranks [liu2002], how they deal slices out along a line of the array, and the
// parameters that arrange the ranks.
#pragma once

#include "collectives/slices/slice_passes.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// The position at which dealing starts for each target.
enum class Split : std::uint8_t {
  chain,  // where it stopped for the previous target: better balanced
  paper,  // at the target's number modulo the length of the line
};

// The parameter `split`.
Parameter split_parameter();
Split split_of(const Parameters& parameters);

// Deals slices out to the ranks of `line`. The data for each target is cut into units, which go to the slots of a circle in turn.
// The circle has `slots` slots; slot t belongs to position t modulo the length of `line`. The chain starts at slot `first`. For
// each target, the units of all its slices are counted one after the other. Dealing in turn only decides how many units each
// position gets; the units of a position are then one consecutive run. Units have `grain` bytes; the last unit of a slice may be
// shorter. `held` must be ordered as for SliceRoute::deal.
void deal_along(const std::vector<Rank>& line, Count slots, Count first, Split split, Bytes grain,
                const std::vector<HeldSlice>& held, const SliceRoute::Hand& hand);

// The route along the rows and columns of an array of ranks. With two passes, data goes along the row to the column of
// its target and then along that column. With four passes, data is first dealt out along row and column, so that all
// ranks hold about the same amount for every target. A pass along rows or columns of one rank is left out.
class GridRoute : public SliceRoute {
 public:
  enum class Pass : std::uint8_t { deal_along_rows, deal_along_columns, collect_along_rows, collect_along_columns };

  // Without `split` there are two passes. Data that is dealt out is cut into units of `grain` bytes.
  GridRoute(Count ranks, Count columns, std::optional<Split> split, Bytes grain);

  const RankArray& array() const { return array_; }
  Pass pass(Count number) const { return passes_[index(number)]; }
  bool is_dealing(Count number) const { return pass(number) <= Pass::deal_along_columns; }

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

// The route in an array of ranks with any number of dimensions: algorithms A3 and A4 of
// [liu2002] with more stages, as its section 5 proposes. In each pass a rank meets the other ranks of its line along
// one dimension, beginning with the last dimension. In a collecting pass, data moves to the coordinate of its target in
// this dimension. Before the collecting passes, data may be dealt out along each dimension, so that all ranks hold
// about the same amount for every target. A dimension of length 1 has no pass. With two dimensions, the route on a full
// array is the GridRoute of a full grid.
//
// The ranks fill the array in their order, and the last slab, the ranks with the last coordinate in the first dimension, may
// be incomplete. If a rank of this slab has data for an empty place, the data goes to a rank of an earlier slab, which agrees
// with the empty place in all other coordinates. These *additional* messages follow the rounds of the full array. The pass along
// the first dimension comes last, so the data still reaches its target.
class ArrayRoute : public SliceRoute {
 public:
  // Succeeds if the ranks fill such an array; otherwise returns the reason why not.
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

// The parameters that arrange the ranks in an array: `columns` for rows of this length (the last row may be shorter),
// or `sides` for an array with any number of dimensions (ArrayRoute).

// The value of the parameter `sides`, such as 4x4x4; empty if it is "none".
std::vector<Count> sides_of(const Parameters& parameters);

// `sides` must be listed before `columns`, because the default of `columns` is the last side if sides are given.
Parameter sides_parameter();
// The parameter `columns`: the best grid for the number of ranks, the paper's, or any that is valid.
Parameter columns_parameter();
Result<> columns_apply(const Problem& problem, const Parameters& parameters);
Result<> array_applies(const Problem& problem, const Parameters& parameters);  // checks sides or columns

// Irregular exchange along the lines of an array of ranks [liu2002], with all counts known or with headers. With two
// sides the route is a GridRoute, with any other number of sides an ArrayRoute.
//
// For Algorithm::analyse. Uses the parameters `sides`, `columns` and `counts`; the result is for program_by_route.
// Without `split`, nothing is dealt out.
std::shared_ptr<const Analysis> analyse_grid_exchange(const Problem& problem, const Parameters& parameters,
                                                      std::optional<Split> split, Bytes grain);

// For Algorithm::incremental.
std::unique_ptr<IncrementalProgram> grid_exchange_in_stages(const Problem& problem, const Parameters& parameters,
                                                            std::optional<Split> split, Bytes grain, Rank me);

}  // namespace quadrille
