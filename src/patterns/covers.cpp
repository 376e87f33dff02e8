// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/covers.hpp"

#include <algorithm>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Deals a level's pieces out to rounds, `ports` a round, the longest first.
CoverLevel in_rounds(std::vector<Piece> pieces, Count ports) {
  const auto length = [](const Piece& piece) { return size(piece.fresh) + size(piece.rest); };
  std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return length(a) > length(b); });
  CoverLevel level;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (static_cast<Count>(i) % ports == 0) level.rounds.emplace_back();
    level.rounds.back().push_back(std::move(pieces[i]));
  }
  return level;
}

// The remainders 0 .. length-1 that are still to be travelled when a slot has gone `base`, from higher levels.
struct Route {
  Count base;
  Count length;
};

}  // namespace

Cover radix_cover(Count p, Count radix) {
  Cover cover{1};
  while (cover.back() < p) cover.push_back(cover.back() > p / radix ? p : std::min(p, cover.back() * radix));
  return cover;
}

Cover halving_cover(Count p) {
  Cover cover{p};
  while (cover.back() > 1) cover.push_back(ceil_divide(cover.back(), 2));
  std::reverse(cover.begin(), cover.end());
  return cover;
}

std::vector<CoverLevel> positional_levels(Count p, Count radix, Count ports) {
  std::vector<CoverLevel> levels;
  const Cover cover = radix_cover(p, radix);
  for (std::size_t x = 0; x + 1 < cover.size(); ++x) {
    const Count place = cover[x];
    std::vector<Piece> pieces;
    for (Count digit = 1; digit < std::min(radix, ceil_divide(p, place)); ++digit) {
      // Lower digits all zero: the slot has not moved yet.
      Piece piece{digit * place, {}, {}};
      for (const Runs& runs : indices_with_digit(p, place, radix, digit)) {
        piece.fresh.push_back({runs.first, 1, runs.count, runs.stride});
        if (runs.length > 1) piece.rest.push_back({runs.first + 1, runs.length - 1, runs.count, runs.stride});
      }
      pieces.push_back(std::move(piece));
    }
    levels.push_back(in_rounds(std::move(pieces), ports));
  }
  return levels;
}

std::vector<CoverLevel> balanced_levels(const Cover& cover, Count ports) {
  std::vector<CoverLevel> levels(cover.size() - 1);
  std::vector<Route> routes{{0, cover.back()}};
  for (std::size_t x = cover.size() - 1; x-- > 0;) {  // routes are found from the longest hops down
    const Count low = cover[x];
    const Count span = cover[x + 1] - low;
    const Count rounds = ceil_divide(ceil_divide(span, low), ports);
    const Count length = std::min(low, ceil_divide(span, rounds * ports));
    std::vector<Piece> pieces(index(ceil_divide(span, length)));
    for (std::size_t a = 0; a < pieces.size(); ++a) pieces[a].offset = low + static_cast<Count>(a) * length;

    std::vector<Route> next;
    for (const Route& route : routes) {
      next.push_back({route.base, std::min(route.length, low)});
      for (Piece& piece : pieces) {
        if (piece.offset >= route.length) break;
        const Route moved{route.base + piece.offset, std::min(length, route.length - piece.offset)};
        append_run(piece.fresh, moved.base, 1);
        append_run(piece.rest, moved.base + 1, moved.length - 1);
        next.push_back(moved);
      }
    }
    std::erase_if(pieces, [](const Piece& piece) { return piece.fresh.empty(); });
    levels[x] = in_rounds(std::move(pieces), ports);
    routes = std::move(next);
  }
  return levels;
}

}  // namespace quadrille
