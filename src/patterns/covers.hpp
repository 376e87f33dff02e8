// SPDX-License-Identifier: BSD-3-Clause
// Splits the distances of Bruck's index algorithm into hops. A block for the rank at distance j gets there in at most
// one hop per level, and each level has hops of a few different lengths. A *cover* 1 = N_0 < N_1 < .. < N_w = p says
// which range of distances [N_x, N_{x+1}) each level handles [bruck1997, generalised; docs/collectives/alltoall.md].
#pragma once

#include <vector>

#include "patterns/runs.hpp"

namespace quadrille {

// One length of hop, with the slots (indices of blocks by distance) that move by it. A slot is *fresh* in its first
// hop: until then its block lies in the input.
struct Hop {
  Count offset = 0;  // distance that the hop covers, in ranks
  IndexSet fresh;
  IndexSet rest;
};

struct CoverLevel {
  std::vector<std::vector<Hop>> rounds;  // at most `ports` hops in each round
};

using Cover = std::vector<Count>;

Cover radix_cover(Count p, Count radix);  // 1, r, r^2, .., p
Cover halving_cover(Count p);             // N_x = ceil(N_{x+1} / 2)

// The levels in the order of execution. In positional levels, a hop is a non-zero digit of the distance in base r. Each
// hop has only a few runs of slots, however large p is.
std::vector<CoverLevel> positional_levels(Count p, Count radix, Count ports);

// In balanced levels, the range [N_x, N_{x+1}) of a level is cut so that its rounds on `ports` ports have about equal
// volume. Takes O(p) time per level.
std::vector<CoverLevel> balanced_levels(const Cover& cover, Count ports);

}  // namespace quadrille
