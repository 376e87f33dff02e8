// SPDX-License-Identifier: BSD-3-Clause
// How blocks reach the ranks at all distances in few hops: by the covers of Bruck's index algorithm, or over doubling distances.
#pragma once

#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Sets of indices, stored as repeated runs: `count` runs of `length` consecutive indices, `stride` apart. Sets selected
// by one digit, such as all j < n whose third digit is 2, need one or two entries, however large n is.
struct Runs {
  Count first = 0;
  Count length = 0;
  Count count = 1;
  Count stride = 0;  // >= length where count > 1
  bool operator==(const Runs&) const = default;
};

using IndexSet = std::vector<Runs>;  // ascending and disjoint

Count size(const IndexSet& set);

// The indices of `set` in [first, last), ascending.
IndexSet part(const IndexSet& set, Count first, Count last);

// Appends one run, or adds it to the last entry if it continues that entry's pattern.
void append_run(IndexSet& set, Count first, Count length);

// All j in [0, n) with (j / place) mod radix == digit, for n >= 0, place >= 1.
IndexSet indices_with_digit(Count n, Count place, Count radix, Count digit);

// Splits the distances of Bruck's index algorithm into hops. A block for the rank at distance j gets there in at most
// one hop per level, and each level has hops of a few different lengths. A *cover* 1 = N_0 < N_1 < .. < N_w = p says
// which range of distances [N_x, N_{x+1}) each level handles [bruck1997, generalised; docs/collectives/alltoall.md].
//
// One length of hop, and the slots (indices of blocks by distance) whose blocks make this hop. A slot is *fresh* in its first
// hop: its block still lies in the input.
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

// Exchanges over doubling distances among any number of ranks [thakur2005]. Groups of 2^k consecutive ranks exchange: rank r with
// r ^ 2^k. The last group may have fewer ranks. If it is the upper group of its pair, some ranks of the lower group have no
// partner. They get the data from the ranks of the lower group that have a partner, over the distances 2^(k-1), .., 2, 1.
struct PassingOn {
  std::optional<Rank> to, from;  // at most one of them
};

// Returns what `me` does in each of the rounds after the exchange between groups of `size` ranks, a power of two. There are log2
// size rounds, or none if in the last pair of groups all ranks have partners, or none has.
std::vector<PassingOn> passing_on(Count ranks, Count size, Rank me);

}  // namespace quadrille
