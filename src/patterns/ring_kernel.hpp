// SPDX-License-Identifier: BSD-3-Clause
// Complete exchange on a ring whose nodes send to both sides at a time [liu2005, corrected]: which blocks leave a node in which
// step. A block for the node at distance d <= size/2 to one side travels to that side; wherever it is, it is known by d.
//   simple        one link a step: what has still to travel moves on. size/2 steps.
//   alternating   (even sizes) first everything at an odd distance moves one link; then two links a step, all even nodes to the one
//                 and all odd nodes to the other side, and after that the other way round. size/2 steps as well.
#pragma once

#include <optional>

#include "quadrille/types.hpp"

namespace quadrille::ring_kernel {

enum class Kernel : std::uint8_t { simple, alternating };

// Which way the blocks go that have half a ring to travel. All of them: `by_target`, the way that the alternating kernel gives to
// even or odd targets. Both ways: `shared`, how is up to the caller; alternating then needs size = 2 (mod 4).
enum class Antipode : std::uint8_t { shared, by_target };

// What a node sends to a side in a step: blocks at distances first, first + step, .., none of them half a ring.
struct Departure {
  Count first = 0;
  Count count = 0;
  Count step = 1;
  bool antipode = false;  // also those at half a ring, or the share of them that goes this way
};

Count steps(Kernel kernel, Count size);
Count links(Kernel kernel, Count step);  // how far a message of the step goes

// Nothing where nothing leaves. direction is +1 or -1; 0 <= position < size.
std::optional<Departure> departure(Kernel kernel, Antipode antipode, Count size, Count position, Count step, int direction);

}  // namespace quadrille::ring_kernel
