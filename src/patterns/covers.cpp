// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/covers.hpp"

#include <algorithm>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// Distributes the hops of a level over rounds, `ports` hops in each round, beginning with the hops that have the
// most slots.
CoverLevel in_rounds(std::vector<Hop> hops, Count ports) {
  const auto length = [](const Hop& hop) { return size(hop.fresh) + size(hop.rest); };
  std::stable_sort(hops.begin(), hops.end(), [&](const Hop& a, const Hop& b) { return length(a) > length(b); });
  CoverLevel level;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (static_cast<Count>(i) % ports == 0) level.rounds.emplace_back();
    level.rounds.back().push_back(std::move(hops[i]));
  }
  return level;
}

// The slots base .. base + length - 1. They have moved by `base` in the higher levels, so they still have
// 0 .. length - 1 ranks to go.
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
    std::vector<Hop> hops;
    for (Count digit = 1; digit < std::min(radix, ceil_divide(p, place)); ++digit) {
      // If all lower digits are zero, the slot has not moved yet.
      Hop hop{digit * place, {}, {}};
      for (const Runs& runs : indices_with_digit(p, place, radix, digit)) {
        hop.fresh.push_back({runs.first, 1, runs.count, runs.stride});
        if (runs.length > 1) hop.rest.push_back({runs.first + 1, runs.length - 1, runs.count, runs.stride});
      }
      hops.push_back(std::move(hop));
    }
    levels.push_back(in_rounds(std::move(hops), ports));
  }
  return levels;
}

std::vector<CoverLevel> balanced_levels(const Cover& cover, Count ports) {
  std::vector<CoverLevel> levels(cover.size() - 1);
  std::vector<Route> routes{{0, cover.back()}};
  for (std::size_t x = cover.size() - 1; x-- > 0;) {  // from the longest hops to the shortest
    const Count low = cover[x];
    const Count span = cover[x + 1] - low;
    const Count rounds = ceil_divide(ceil_divide(span, low), ports);
    const Count length = std::min(low, ceil_divide(span, rounds * ports));
    std::vector<Hop> hops(index(ceil_divide(span, length)));
    for (std::size_t a = 0; a < hops.size(); ++a) hops[a].offset = low + static_cast<Count>(a) * length;

    std::vector<Route> next;
    for (const Route& route : routes) {
      next.push_back({route.base, std::min(route.length, low)});
      for (Hop& hop : hops) {
        if (hop.offset >= route.length) break;
        const Route moved{route.base + hop.offset, std::min(length, route.length - hop.offset)};
        append_run(hop.fresh, moved.base, 1);
        append_run(hop.rest, moved.base + 1, moved.length - 1);
        next.push_back(moved);
      }
    }
    std::erase_if(hops, [](const Hop& hop) { return hop.fresh.empty(); });
    levels[x] = in_rounds(std::move(hops), ports);
    routes = std::move(next);
  }
  return levels;
}

}  // namespace quadrille
