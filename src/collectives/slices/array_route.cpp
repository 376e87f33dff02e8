// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/array_route.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "foundation/text/counted.hpp"
#include "patterns/modulo.hpp"

namespace quadrille {

Result<> ArrayRoute::check(Count ranks, const std::vector<Count>& sides) {
  Count places = 1;
  const bool is_huge =
      std::any_of(sides.begin(), sides.end(), [&](Count side) { return __builtin_mul_overflow(places, side, &places); });
  const std::string text = fmt::format("an array with sides {}", fmt::join(sides, "x"));
  if (is_huge) return cannot(fmt::format("{} has 2^63 or more places, but there are {}", text, counted(ranks, "rank")));
  const Count slab = places / sides.front(), least = sides.front() > 1 ? places - slab + 1 : places;
  if (least <= ranks && ranks <= places) return {};
  if (least == places) return cannot(fmt::format("{} has {}, but there are {}", text, counted(places, "rank"), ranks));
  return cannot(fmt::format("{} has {} to {}, because only its last row along the first side may be short, but there are {}", text,
                            least, counted(places, "rank"), ranks));
}

ArrayRoute::ArrayRoute(Count ranks, std::vector<Count> sides, std::optional<Split> split, Bytes grain)
    : ranks_(ranks), split_(split), grain_(grain) {
  Count stride = 1;
  for (std::size_t i = sides.size(); i-- > 0; stride *= sides[i]) dimensions_.insert(dimensions_.begin(), {sides[i], stride});
  slabs_ = dimensions_.front();
  for (const bool deals : {true, false})
    for (std::size_t i = sides.size(); i-- > 0;)
      if (sides[i] > 1 && (split || !deals))
        passes_.push_back({dimensions_[i], deals, fmt::format("{} along dimension {}", deals ? "deal" : "collect", i + 1)});
  if (passes_.empty()) passes_.push_back({{}, false, "collect"});  // a single rank has one pass
  for (Pass& pass : passes_)
    for (Rank rank = with_coordinate(slabs_, 0, slabs_.side - 1); rank < ranks_ && !is_first(pass.dimension); ++rank)
      pass.additional_rounds =
          std::max(pass.additional_rounds, additional_rounds(pass.dimension, line_length(pass.dimension, rank)));

  for (Rank rank = 0; rank < ranks_; ++rank) targets_.push_back(rank);
  std::sort(targets_.begin(), targets_.end(), [&](Rank one, Rank other) {
    for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension)
      if (const Count a = coordinate(*dimension, one), b = coordinate(*dimension, other); a != b) return a < b;
    return false;
  });
  places_.resize(targets_.size());
  for (std::size_t place = 0; place < targets_.size(); ++place) places_[index(targets_[place])] = static_cast<Count>(place);
}

// The ranks of a line have the coordinates 0, 1, .., because the ranks fill the array in their order.
Count ArrayRoute::line_length(const Dimension& dimension, Rank rank) const {
  const Rank first = with_coordinate(dimension, rank, 0);
  return std::clamp<Count>(ceil_divide(ranks_ - first, dimension.stride), 0, dimension.side);
}

// Each rank of a line with empty places has a message for each of them. The ranks take turns among the earlier slabs, so a rank
// there receives one from every (side - 1)-th of them.
Count ArrayRoute::additional_rounds(const Dimension& dimension, Count line_length) const {
  if (line_length == 0 || line_length == dimension.side) return 0;
  return std::max(dimension.side - line_length, ceil_divide(line_length, slabs_.side - 1));
}

Rank ArrayRoute::relay(const Dimension& dimension, Rank rank, Count wanted) const {
  const Rank there = with_coordinate(dimension, rank, wanted);
  return there < ranks_ ? there : with_coordinate(slabs_, there, coordinate(dimension, rank) % (slabs_.side - 1));
}

// In round t the rank with coordinate x sends to the empty place number t - x / (side - 1), modulo the number of rounds.
SliceRoute::Meeting ArrayRoute::additional_meeting(const Dimension& dimension, Rank me, Count round) const {
  const Count others = slabs_.side - 1, slab = coordinate(slabs_, me), own = coordinate(dimension, me);
  const Rank in_last = with_coordinate(slabs_, me, others);
  const Count length = line_length(dimension, in_last), rounds = additional_rounds(dimension, length);
  if (round >= rounds) return {};
  if (slab == others) {
    const Count empty = length + modulo(round - own / others, rounds);
    return {empty < dimension.side ? std::optional(relay(dimension, me, empty)) : std::nullopt, std::nullopt};
  }
  const Count sender = slab + others * modulo(round - (own - length), rounds);
  if (own < length || sender >= length) return {};
  return {std::nullopt, with_coordinate(dimension, in_last, sender)};
}

std::vector<SliceRoute::Meeting> ArrayRoute::meetings(Count pass, Rank me) const {
  const Dimension& dimension = at(pass).dimension;
  const Count own = coordinate(dimension, me);
  // Lines of the first dimension have two lengths and may turn in shorter circles. In the others, empty places are left out.
  const Count circle = is_first(dimension) ? line_length(dimension, me) : dimension.side;
  const auto rank_at = [&](Count wanted) {
    const Rank rank = with_coordinate(dimension, me, wanted % circle);
    return rank < ranks_ && rank != me ? std::optional(rank) : std::nullopt;
  };
  std::vector<Meeting> list;
  for (Count distance = 1; distance < dimension.side; ++distance)
    list.push_back({rank_at(own + distance), rank_at(own + 2 * circle - distance)});
  for (Count round = 0; round < at(pass).additional_rounds; ++round) list.push_back(additional_meeting(dimension, me, round));
  return list;
}

// When data is dealt out, each rank with the coordinates that the data already has gets a share: a slot. A position of the
// line gets the slots of the ranks behind it.
void ArrayRoute::deal(Count pass, Rank me, const std::vector<HeldSlice>& held, const Hand& hand) const {
  const Dimension& dimension = at(pass).dimension;
  if (!at(pass).deals) {
    for (const HeldSlice& slice : held) hand(slice, relay(dimension, me, coordinate(dimension, slice.target)));
    return;
  }
  std::vector<Rank> line;
  for (Count wanted = 0; wanted < dimension.side; ++wanted) line.push_back(relay(dimension, me, wanted));
  const Count slots = ceil_divide(ranks_ - me % dimension.stride, dimension.stride);
  if (is_first(dimension)) line.resize(index(slots));
  deal_along(line, slots, me / dimension.stride, *split_, grain_, held, hand);
}

}  // namespace quadrille
