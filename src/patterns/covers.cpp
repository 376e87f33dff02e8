// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/covers.hpp"

#include <algorithm>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

void append(IndexSet& set, const Runs& runs) {
  if (runs.length > 0 && runs.count > 0) set.push_back(runs);
}

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

// The slots base .. base + length - 1. The higher levels have moved the blocks in them by `base` ranks, so these blocks still
// have to travel 0 .. length - 1 ranks.
struct Route {
  Count base;
  Count length;
};

}  // namespace

Count size(const IndexSet& set) {
  Count total = 0;
  for (const Runs& runs : set) total += runs.length * runs.count;
  return total;
}

IndexSet part(const IndexSet& set, Count first, Count last) {
  IndexSet kept;
  for (const Runs& runs : set) {
    const Count stride = runs.count > 1 ? runs.stride : std::max(runs.length, Count{1});
    // Runs [cut_below, whole) begin before `first`; runs [whole, cut_above) lie inside; at most one run is cut at each
    // end.
    const auto clipped = [&](Count index) {
      const Count begin = runs.first + index * stride;
      const Count from = std::max(begin, first);
      const Count to = std::min(begin + runs.length, last);
      append(kept, {from, std::max<Count>(to - from, 0), 1, 0});
    };
    const Count whole_from = std::clamp<Count>(ceil_divide(std::max<Count>(first - runs.first, 0), stride), 0, runs.count);
    const Count room = last - runs.first - runs.length;  // relative to the first run: the last start of a run that fits
    const Count whole_to = room < 0 ? 0 : std::min(runs.count, room / stride + 1);
    if (whole_from > 0) clipped(whole_from - 1);
    if (whole_from < whole_to)
      append(kept, {runs.first + whole_from * stride, runs.length, whole_to - whole_from, whole_to - whole_from > 1 ? stride : 0});
    const Count after = std::max(whole_from, whole_to);
    if (after < runs.count) clipped(after);
  }
  return kept;
}

void append_run(IndexSet& set, Count first, Count length) {
  if (length <= 0) return;
  if (!set.empty()) {
    Runs& last = set.back();
    if (last.count == 1 && last.first + last.length == first) {
      last.length += length;
      return;
    }
    const Count next = last.first + last.count * last.stride;
    if (last.length == length && (last.count == 1 || next == first)) {
      if (last.count == 1) last.stride = first - last.first;
      ++last.count;
      return;
    }
  }
  set.push_back({first, length, 1, 0});
}

IndexSet indices_with_digit(Count n, Count place, Count radix, Count digit) {
  const Count first = digit * place;
  if (first >= n) return {};
  // place * radix can exceed 2^63 only if it also exceeds n; then there is one run.
  const Count period = place > n / radix ? n : place * radix;
  IndexSet set;
  const Count whole = n - first < place ? 0 : (n - first - place) / period + 1;
  append(set, {first, place, whole, whole > 1 ? period : 0});
  const Count rest = first + whole * period;
  if (rest < n) append(set, {rest, std::min(place, n - rest), 1, 0});
  return set;
}

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
      // A slot whose lower digits are all zero has not moved yet.
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

std::vector<PassingOn> passing_on(Count ranks, Count size, Rank me) {
  std::vector<PassingOn> rounds;
  const Count in_upper = ranks % (2 * size) - size;  // ranks of the last group, if it is an upper one that is not full
  if (in_upper <= 0) return rounds;
  const Rank lower = ranks - in_upper - size;  // the first rank of the lower group
  const bool takes_part = me >= lower && me < lower + size;
  for (Count distance = size / 2; distance > 0; distance /= 2) {
    PassingOn& round = rounds.emplace_back();
    const Rank other = me ^ distance,
               end = (me & -(2 * distance)) + in_upper;  // of this part, the ranks before `end` have the data
    if (!takes_part) continue;
    if (me < end && other >= end) round.to = other;
    if (other < end && me >= end) round.from = other;
  }
  return rounds;
}

}  // namespace quadrille
