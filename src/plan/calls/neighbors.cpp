// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "foundation/text/wording.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille {
namespace {

constexpr Rank nobody = -1;

Count ranks_of(const CartesianGrid& grid) {
  if (grid.dimensions.size() != grid.periodic.size())
    throw Error(ErrorCode::misuse, fmt::format("a grid has {} dimensions, and says of {} whether they are periodic",
                                               grid.dimensions.size(), grid.periodic.size()));
  Count ranks = 1;
  for (const Count side : grid.dimensions) {
    if (side < 1)
      throw Error(ErrorCode::misuse, fmt::format("a dimension of a grid has {}; it needs one or more", counted(side, "rank")));
    const auto product = checked_product(ranks, side);
    if (!product) throw Error(ErrorCode::too_large, "a grid has 2^63 ranks or more");
    ranks = *product;
  }
  return ranks;
}

}  // namespace

Neighbors::Neighbors(std::vector<Rank> sources, std::vector<Rank> destinations)
    : sources_(std::move(sources)), destinations_(std::move(destinations)), meeting_order_(sources_.size()) {
  if (std::max(sources_.size(), destinations_.size()) > static_cast<std::size_t>(Edges::most))
    throw Error(ErrorCode::too_large, fmt::format("a rank has at most {} neighbours", Edges::most));
  std::iota(meeting_order_.begin(), meeting_order_.end(), std::size_t{0});
}

Neighbors::Neighbors(const CartesianGrid& grid, Rank rank) {
  const Count ranks = ranks_of(grid);
  if (rank < 0 || rank >= ranks)
    throw Error(ErrorCode::misuse, fmt::format("a grid of {} has no rank {}", counted(ranks, "rank"), rank));
  Count stride = ranks;  // between neighbours in a dimension
  for (std::size_t dimension = 0; dimension < grid.dimensions.size(); ++dimension) {
    const Count side = grid.dimensions[dimension];
    stride /= side;
    const Count own = rank / stride % side;
    const auto neighbor = [&](Count step) {
      const Count at = own + step;
      if (at >= 0 && at < side) return rank + step * stride;
      return grid.periodic[dimension] ? rank + ((at + side) % side - own) * stride : nobody;
    };
    sources_.insert(sources_.end(), {neighbor(-1), neighbor(1)});
    // Destinations are listed in the order before, behind. What goes to the rank before comes there from the rank behind.
    meeting_order_.insert(meeting_order_.end(), {2 * dimension + 1, 2 * dimension});
  }
  destinations_ = sources_;
}

}  // namespace quadrille
