// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/folded-four-stage: four-stage (A4) on the complete rows of a grid; each rank of a short last row is
// represented by the rank above it.
// Source  [liu2002], section 3.2.2: the brute-force solution for incomplete arrays, with which A4 is compared.
// Needs   a valid grid, as four-stage does, so that the two can be compared; the default is the paper's.
// Idea    A rank of the short row sends all its data to the rank above it, A4 runs on the complete rows, and then the rank above
//         sends down the data that has arrived for the rank of the short row.
// Cost    two rounds more than A4 on the complete rows. C2 is up to twice as large, because some ranks act for two ranks. The
//         moves up and down add 2L, where L is the most that a rank sends or receives.
// Prefer  never; a baseline: four-stage needs no such moves. If the last row is full, both algorithms are the same.
#include "collectives/slices/array_routes.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/slice_code.hpp"
#include "collectives/slices/slice_passes.hpp"

namespace quadrille {
namespace {

class FoldedRoute : public SliceRoute {
 public:
  FoldedRoute(Count ranks, Count columns, Split split, Bytes grain)
      : array_(ranks, columns), full_(ranks / columns * columns, columns, split, grain) {}

  Count ranks() const override { return array_.ranks(); }
  Count passes() const override { return full_.passes() + (array_.is_ragged() ? 2 : 0); }

  std::string_view name(Count pass) const override {
    if (is_fold(pass)) return "fold";
    return is_unfold(pass) ? "unfold" : full_.name(inside(pass));
  }

  std::vector<Meeting> meetings(Count pass, Rank me) const override {
    if (!is_fold(pass) && !is_unfold(pass)) {
      if (me < full_.ranks()) return full_.meetings(inside(pass), me);
      return std::vector<Meeting>(full_.meetings(inside(pass), 0).size());  // the short row waits
    }
    const std::optional<Rank> up = me < full_.ranks() ? std::nullopt : std::optional(actor(me));
    const std::optional<Rank> down = acts_for(me);
    return {is_fold(pass) ? Meeting{up, down} : Meeting{down, up}};
  }

  Count place_of(Rank target) const override { return array_.place_of(target); }
  Rank at_place(Count place) const override { return array_.at_place(place); }

  void deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const override {
    if (is_fold(pass) || is_unfold(pass)) {
      for (const HeldSlice& slice : held) hand(slice, is_fold(pass) ? actor(me) : slice.target);
      return;
    }
    // On the complete rows, data is addressed to the rank that acts for its target. In the order of places, a rank of
    // the last row directly follows the rank above it. So the slices are already in the order that the route on the
    // complete rows expects.
    std::vector<HeldSlice> addressed = held;
    for (HeldSlice& slice : addressed) slice.target = actor(slice.target);
    full_.deal(inside(pass), me, addressed, [&](const HeldSlice& slice, Rank to) {
      HeldSlice own = slice;
      own.target = at_place(slice.target_place);
      hand(own, to);
    });
  }

 private:
  bool is_fold(Count pass) const { return array_.is_ragged() && pass == 0; }
  bool is_unfold(Count pass) const { return array_.is_ragged() && pass == passes() - 1; }
  Count inside(Count pass) const { return pass - (array_.is_ragged() ? 1 : 0); }
  Rank actor(Rank rank) const { return rank < full_.ranks() ? rank : rank - array_.columns(); }
  std::optional<Rank> acts_for(Rank rank) const {
    const Rank below = rank + array_.columns();
    return below >= full_.ranks() && below < ranks() ? std::optional(below) : std::nullopt;
  }

  RankArray array_;
  GridRoute full_;  // the route on the complete rows
};

std::shared_ptr<const SliceRoute> route_of(const Problem& problem, const Parameters& parameters) {
  return std::make_shared<FoldedRoute>(problem.ranks, number(parameters, "columns"), split_of(parameters),
                                       number(parameters, "grain"));
}

Parameter columns_as_printed() {
  Parameter columns = columns_parameter();
  columns.standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
    return RankArray::paper_columns(problem.ranks);
  };
  columns.standard_rule = "paper";
  return columns;
}

}  // namespace

extern const Algorithm alltoallv_folded_four_stage{
    .collective = Collective::alltoallv,
    .id = "folded-four-stage",
    .summary = "four-stage on a grid's complete rows, the last of which acts for a short row: the brute-force solution",
    .picture =
        "Rank 6 is alone in the last row of the grid: the rank above it, 3, receives all its data first, acts for it in the four "
        "stages, and hands over the result at the end. A rank that acts for two has twice as much to do; four-stage does without "
        "such moves, and this algorithm is here to be compared with it.",
    .picture_problem = "--ranks 7 --block 64B --pattern uniform",
    .needs = "a valid number of columns",
    .source = "liu2002, section 3.2.2",
    .parameters = {columns_as_printed(), split_parameter(), grain_parameter(), counts_parameter()},
    .generate = program_by_route,
    .applies = columns_apply,
    .analyse = [](const Problem& problem, const Parameters& parameters) -> std::shared_ptr<const Analysis> {
      return replay_route(problem, parameters, route_of(problem, parameters), number(parameters, "grain"));
    },
    .incremental =
        [](const Problem& problem, const Parameters& parameters, Rank me) {
          return route_in_stages(problem, parameters, route_of(problem, parameters), number(parameters, "grain"), me);
        },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
