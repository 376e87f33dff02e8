// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/array_route.hpp"

#include <fmt/format.h>

namespace quadrille {

ArrayRoute::ArrayRoute(std::vector<Count> sides, std::optional<Split> split, Bytes grain) : split_(split), grain_(grain) {
  for (std::size_t i = sides.size(); i-- > 0;) {
    dimensions_.insert(dimensions_.begin(), {sides[i], ranks_});
    ranks_ *= sides[i];
  }
  for (const bool deals : {true, false})
    for (std::size_t i = sides.size(); i-- > 0;)
      if (sides[i] > 1 && (split || !deals))
        passes_.push_back({dimensions_[i], deals, fmt::format("{} along dimension {}", deals ? "deal" : "collect", i + 1)});
  if (passes_.empty()) passes_.push_back({{}, false, "collect"});  // a single rank has one pass
}

std::vector<SliceRoute::Meeting> ArrayRoute::meetings(Count pass, Rank me) const {
  const Dimension& dimension = at(pass).dimension;
  const Count side = dimension.side, own = coordinate(dimension, me);
  std::vector<Meeting> list;
  for (Count distance = 1; distance < side; ++distance)
    list.push_back(
        {with_coordinate(dimension, me, (own + distance) % side), with_coordinate(dimension, me, (own + side - distance) % side)});
  return list;
}

Count ArrayRoute::place_of(Rank target) const {
  Count place = 0;
  for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension)
    place = place * dimension->side + coordinate(*dimension, target);
  return place;
}

Rank ArrayRoute::at_place(Count place) const {
  Rank rank = 0;
  for (const Dimension& dimension : dimensions_) {
    rank += place % dimension.side * dimension.stride;
    place /= dimension.side;
  }
  return rank;
}

void ArrayRoute::deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  const Dimension& dimension = at(pass).dimension;
  if (!at(pass).deals) {
    for (const HeldSlice& slice : held) hand(slice, with_coordinate(dimension, me, coordinate(dimension, slice.target)));
    return;
  }
  std::vector<Rank> line;
  for (Count wanted = 0; wanted < dimension.side; ++wanted) line.push_back(with_coordinate(dimension, me, wanted));
  deal_along(line, coordinate(dimension, me), *split_, grain_, held, hand);
}

}  // namespace quadrille
