// SPDX-License-Identifier: BSD-3-Clause
#include "projection/rank_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "projection/check.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

std::string grid_text(const std::vector<Count>& sides) { return fmt::format("{}", fmt::join(sides, "x")); }

}  // namespace

RankGrid::RankGrid(Count recorded, const RankScale& scale) : from_(scale.from), to_(scale.to) {
  if (from_.empty() || from_.size() != to_.size())
    refuse(fmt::format("the grids {} and {} need the same number of sides", grid_text(from_), grid_text(to_)));
  Count before = 1, after = 1;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    if (from_[i] < 1 || to_[i] < from_[i] || to_[i] % from_[i] != 0)
      refuse(fmt::format("a side of {} cannot become one of {}; sides grow by whole factors", from_[i], to_[i]));
    if (from_[i] == 1 && to_[i] > 1)
      refuse("a side of 1 cannot grow, because communicators along it cannot be told from single ranks");
    before = from_[i] <= recorded / before ? before * from_[i] : recorded + 1;
    if (to_[i] > most_scaled_ranks / after) refuse(fmt::format("a recording can be scaled to {} ranks at most", most_scaled_ranks));
    after *= to_[i];
    factors_.push_back(to_[i] / from_[i]);
  }
  if (before != recorded) refuse(fmt::format("the grid {} does not have the {} recorded ranks", grid_text(from_), recorded));
  if (after == before) refuse(fmt::format("the grid {} has no more ranks than were recorded", grid_text(to_)));
}

Count RankGrid::growth_of(const Dimensions& dimensions) const {
  Count growth = 1;
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (dimensions[i]) growth *= factors_[i];
  return growth;
}

std::vector<Count> RankGrid::places(Rank rank, const std::vector<Count>& sides) const {
  std::vector<Count> places(sides.size());
  for (std::size_t i = sides.size(); i-- > 0; rank /= sides[i]) places[i] = rank % sides[i];
  return places;
}

Rank RankGrid::original(Rank rank) const {
  const std::vector<Count> at = places(rank, to_);
  Rank recorded = 0;
  for (std::size_t i = 0; i < at.size(); ++i) recorded = recorded * from_[i] + at[i] / factors_[i];
  return recorded;
}

Count RankGrid::copy_of_part(Rank rank, const Dimensions& dimensions) const {
  const std::vector<Count> at = places(rank, to_);
  Count copy = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (!dimensions[i]) copy = copy * factors_[i] + at[i] % factors_[i];
  return copy;
}

std::optional<Dimensions> RankGrid::part_of(const std::vector<Rank>& recorded) const {
  if (recorded.empty() || !std::is_sorted(recorded.begin(), recorded.end())) return std::nullopt;
  if (recorded.front() < 0 || recorded.back() >= ranks_of_grid(from_)) return std::nullopt;
  std::vector<std::set<Count>> seen(from_.size());  // places, by dimension
  for (const Rank rank : recorded) {
    const std::vector<Count> at = places(rank, from_);
    for (std::size_t i = 0; i < at.size(); ++i) seen[i].insert(at[i]);
  }
  Dimensions dimensions(from_.size());
  Count ranks = 1;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    if (seen[i].size() > 1 && static_cast<Count>(seen[i].size()) != from_[i]) return std::nullopt;
    dimensions[i] = static_cast<Count>(seen[i].size()) == from_[i];
    if (dimensions[i]) ranks *= from_[i];
  }
  return ranks == size(recorded) ? std::optional(dimensions) : std::nullopt;
}

}  // namespace quadrille::projection
