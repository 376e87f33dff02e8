// SPDX-License-Identifier: BSD-3-Clause
// Recordings of more ranks than were recorded, made up of copies of the recorded ranks. docs/projection.md says what that assumes.
//
//   const Recording recording = read_recording("quadrille-recording");                                      // of 8 ranks
//   const Recording more = scaled(recording, {.from = {2, 4}, .to = {4, 16}, .blocks = BlockScale::weak});  // of 64
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "quadrille/recording.hpp"

namespace quadrille {

// What happens to the sizes of blocks.
enum class BlockScale : std::uint8_t {
  same,    // each block keeps its size
  weak,    // each rank keeps its data
  strong,  // all ranks together keep their data
};
std::string_view name(BlockScale blocks);  // "weak"
std::optional<BlockScale> block_scale_named(std::string_view name);

// The recorded ranks are a grid, numbered row by row, and so are the wanted ones. Rank (i, j, ..) of the wanted grid is a copy of
// rank (i / g, j / h, ..), where g, h, .. are the factors by which the sides grow.
struct RankScale {
  std::vector<Count> from, to;  // sides of the grids
  BlockScale blocks = BlockScale::same;
};

Count ranks_of_grid(const std::vector<Count>& sides);

inline constexpr Count most_scaled_ranks = 4096;  // each keeps its entries, and the time of pricing grows with their square

// A communicator that is a part of the grid (all of some dimensions, at one place of the others) grows with its dimensions, and
// there are as many more of them as the other dimensions grow. Gaps and times inside calls stay as they were recorded.
//
// Throws Error{misuse} if the grid is not that of the recorded ranks, if a side does not grow by a whole factor, if a communicator
// is used that is not a part of the grid, or if it does not follow what a collective would do on more ranks.
Recording scaled(const Recording& recording, const RankScale& scale);

}  // namespace quadrille
