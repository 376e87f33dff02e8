// SPDX-License-Identifier: BSD-3-Clause
// Bine (binomial negabinary) trees and butterflies [desensi2025]: as deep as binomial trees and butterflies, with partners about
// a third nearer.
//
// In step i of the butterfly an even rank r meets r + d_i, and an odd rank r meets r - d_i (mod p), where d_i is the sum of
// (-2)^j for j = 0 .. i: 1, -1, 3, -5, 11, .. All d_i are odd, so partners have different parity, and p must be even. A binomial
// butterfly has distances 2^i; |d_i| is (2^(i+1) + 1) / 3 or (2^(i+1) - 1) / 3, about two thirds of 2^i.
//
// What a rank holds after some steps is regular, because the numbers that have i digits in base -2 are consecutive:
//   steps 0 .. i-1     the data of 2^i consecutive ranks (mod p)
//   steps d-1 .. i     the data of all ranks that are congruent, modulo 2^(i+1), to the rank or to its partner of step i; p = 2^d
#pragma once

#include <array>
#include <string>

#include "patterns/trees.hpp"

namespace quadrille {

Count bine_distance(Count step);                        // d_i of step i: (1 - (-2)^(i+1)) / 3
Rank bine_partner(Rank rank, Count step, Count ranks);  // `ranks` must be even
RankRange bine_neighbours(Rank rank, Count steps,
                          Count ranks);  // the ranks whose data a rank holds after steps 0 .. steps-1; 2^steps <= ranks

// The way of a block through the butterfly of p = 2^d ranks, steps 0 .. d-1 in this order. `hops` has bit i if the block moves in
// step i. For an even source the target is source + ahead, and for an even target the source is target + behind; for an odd
// source or target, subtract instead.
struct BineWay {
  Count hops = 0;
  Count ahead = 0;
  Count behind = 0;
};

// The ways of all blocks that reach a rank, by ascending `behind`, which takes each value from some -n to p - 1 - n once.
std::vector<BineWay> bine_ways(Count ranks);  // `ranks` must be a power of two

// The rank's position in the distance-halving Bine tree, as one phase named `phase`. If p is a power of two, rank `root` + v has
// the position of v in the tree of the butterfly, with the farthest step first. For any p, each rank that has the data keeps half
// of the consecutive ranks that it is responsible for, and sends to a rank a third of the way into the other half.
TreePosition position_in_bine_tree(Count ranks, Rank root, std::string phase, Rank me);

// Returns true if neither half of the ranks wraps around from rank p - 1 to 0. Then no smaller part wraps around, so a reduction
// combines in the order of ranks. This holds for two roots (one if p = 1).
bool bine_halves_are_in_order(Count ranks, Rank root);

}  // namespace quadrille
