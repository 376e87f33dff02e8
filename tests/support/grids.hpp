// SPDX-License-Identifier: BSD-3-Clause
// Small grids, and the rule of MPI for what their neighbours receive, by brute force.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "quadrille/neighborhood.hpp"

namespace quadrille::testing {

// Grids of one to three dimensions of 1 to `side` ranks, each periodic or not.
inline std::vector<CartesianGrid> small_grids(Count side) {
  std::vector<CartesianGrid> all(1), last(1);  // a grid without dimensions has one rank
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    std::vector<CartesianGrid> longer;
    for (const CartesianGrid& grid : last)
      for (Count length = 1; length <= side; ++length)
        for (const bool periodic : {false, true}) {
          longer.push_back(grid);
          longer.back().dimensions.push_back(length);
          longer.back().periodic.push_back(periodic);
        }
    all.insert(all.end(), longer.begin(), longer.end());
    last = std::move(longer);
  }
  return all;
}

inline Count ranks_of_grid(const CartesianGrid& grid) {
  Count ranks = 1;
  for (const Count length : grid.dimensions) ranks *= length;
  return ranks;
}

inline std::string described(const CartesianGrid& grid) {
  return fmt::format("a grid of {}, periodic {}", fmt::join(grid.dimensions, " x "), fmt::join(grid.periodic, " "));
}

inline std::vector<Count> coordinates_of(const CartesianGrid& grid, Rank rank) {
  std::vector<Count> coordinates(grid.dimensions.size());
  for (std::size_t d = coordinates.size(); d-- > 0; rank /= grid.dimensions[d]) coordinates[d] = rank % grid.dimensions[d];
  return coordinates;
}

// Who sends the block that a rank receives in a place, and the block's place at the sender. Place 2 d is the direction before in
// dimension d, place 2 d + 1 the direction behind. The rank is negative if there is none.
struct Origin {
  Rank rank;
  std::size_t block;
};
inline Origin origin_of(const CartesianGrid& grid, Rank rank, std::size_t block) {
  const std::size_t dimension = block / 2;
  const Count length = grid.dimensions[dimension];
  for (Rank other = 0; other < ranks_of_grid(grid); ++other) {
    std::vector<Count> to = coordinates_of(grid, other);
    // The block comes from the direction before, so it was sent in the direction behind; or the other way round.
    to[dimension] += block % 2 == 0 ? 1 : -1;
    if (grid.periodic[dimension]) to[dimension] = (to[dimension] + length) % length;
    if (to == coordinates_of(grid, rank)) return {other, block ^ 1};
  }
  return {-1, 0};
}

}  // namespace quadrille::testing
