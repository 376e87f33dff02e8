// SPDX-License-Identifier: BSD-3-Clause
// Grids of recorded ranks and of more ranks that are copies of them.
#pragma once

#include <optional>
#include <vector>

#include "quadrille/scaled_recording.hpp"

namespace quadrille::projection {

// A part of a grid: all places of some dimensions.
using Dimensions = std::vector<bool>;

class RankGrid {
 public:
  // Throws Error{misuse}.
  RankGrid(Count recorded, const RankScale& scale);

  Count ranks() const { return ranks_of_grid(to_); }
  Count growth() const { return growth_of(Dimensions(to_.size(), true)); }
  Count growth_of(const Dimensions& dimensions) const;  // by how much a part with these dimensions grows

  Rank original(Rank rank) const;  // the recorded rank of which it is a copy

  // Which copy of a part with these dimensions the rank is in: a number below growth() / growth_of(dimensions).
  Count copy_of_part(Rank rank, const Dimensions& dimensions) const;

  // The dimensions of the part that has these recorded ranks; nothing if they are no part, or not in order.
  std::optional<Dimensions> part_of(const std::vector<Rank>& recorded) const;

 private:
  std::vector<Count> places(Rank rank, const std::vector<Count>& sides) const;

  std::vector<Count> from_, to_, factors_;
};

}  // namespace quadrille::projection
