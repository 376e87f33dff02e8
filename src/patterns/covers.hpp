// SPDX-License-Identifier: BSD-3-Clause
// How far blocks travel in Bruck's index algorithm. A block for the rank at distance j gets there in at most one hop a
// level; a level's hops have a few different lengths, the *pieces*. A *cover* 1 = N_0 < N_1 < .. < N_w = p says which
// part of the distance each level takes care of [bruck1997, generalised; docs/algorithms.md].
#pragma once

#include <vector>

#include "patterns/runs.hpp"

namespace quadrille {

// All slots that make one hop. A slot is *fresh* at its first hop: before that its block lies in the input.
struct Piece {
  Count offset = 0;  // length of the hop
  IndexSet fresh;
  IndexSet rest;
};

struct CoverLevel {
  std::vector<std::vector<Piece>> rounds;  // up to k pieces a round
};

using Cover = std::vector<Count>;

Cover radix_cover(Count p, Count radix);  // 1, r, r^2, .., p
Cover halving_cover(Count p);             // N_x = ceil(N_{x+1} / 2)

// Levels in the order of execution. Positional pieces are the digits of radix r: a few runs each, whatever p is.
std::vector<CoverLevel> positional_levels(Count p, Count radix, Count ports);

// Pieces of equal share: a level's [N_x, N_{x+1}) is cut so that its rounds on `ports` ports are about equally long.
// Costs O(p) for each level.
std::vector<CoverLevel> balanced_levels(const Cover& cover, Count ports);

}  // namespace quadrille
