// SPDX-License-Identifier: BSD-3-Clause
// The complete exchange on a ring whose ranks send to both sides at the same time [liu2005, corrected]: which blocks
// leave a rank in which step. A block for the rank at distance d <= size/2 on one side travels to that side. A block is
// identified by d wherever it is.
//   simple        one link per step: the blocks that have not arrived move on. size/2 steps.
//   alternating   (even sizes) first all blocks at odd distances move one link. Then blocks move two links per step: at first
//                 even ranks send to one side and odd ranks to the other side, later the reverse. size/2 steps as well.
#pragma once

#include <optional>

#include "quadrille/types.hpp"

namespace quadrille::ring_kernel {

enum class Kernel : std::uint8_t { simple, alternating };

// The direction of blocks that have half a ring to travel. `by_target`: the whole block goes in one direction, which
// the alternating kernel assigns to even and to odd targets. `shared`: each block is divided between both directions,
// and the caller decides how; alternating then needs size = 2 (mod 4).
enum class Antipode : std::uint8_t { shared, by_target };

// The blocks that a rank sends to one side in a step: those at distances first, first + step, .., all less than half a
// ring.
struct Departure {
  Count first = 0;
  Count count = 0;
  Count step = 1;
  bool antipode = false;  // also the blocks for the rank half a ring away, or the part of them that goes in this direction
};

Count steps(Kernel kernel, Count size);
Count links(Kernel kernel, Count step);  // number of links that a message of the step travels

// Returns nothing if the rank sends nothing. direction is +1 or -1; 0 <= position < size.
std::optional<Departure> departure(Kernel kernel, Antipode antipode, Count size, Count position, Count step, int direction);

}  // namespace quadrille::ring_kernel
