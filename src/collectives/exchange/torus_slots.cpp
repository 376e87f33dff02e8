// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/exchange/torus_slots.hpp"

#include <algorithm>

#include "foundation/assert.hpp"
#include "patterns/integers.hpp"

namespace quadrille {

std::vector<TorusSide> torus_sides(const Problem& problem) {
  const std::vector<Count> grid = problem.grid.empty() ? std::vector<Count>{problem.ranks} : problem.grid;
  std::vector<TorusSide> sides;
  Count stride = 1;
  for (std::size_t d = grid.size(); d-- > 0; stride *= grid[d])
    if (grid[d] > 1) sides.insert(sides.begin(), {static_cast<int>(d), grid[d], stride});
  return sides;
}

Rank moved(Rank rank, const TorusSide& side, Count by) {
  const Count here = rank / side.stride % side.length;
  return rank + (modulo(here + by, side.length) - here) * side.stride;
}

bool sides_divisible(const std::vector<TorusSide>& sides, Count by) {
  return std::all_of(sides.begin(), sides.end(), [by](const TorusSide& side) { return side.length % by == 0; });
}

// If a block with displacement w goes up, it crosses floor((residue + w) / group) group boundaries. The ring has side.length /
// group boundaries. If the block goes down, it crosses the other boundaries of the ring.
Displacements groups_away(const TorusSide& side, Count group, Count residue, int direction, Count step) {
  return {(direction > 0 ? group * step : group) - residue, side.length - group * step};
}

void Slots::append(Regions& regions, const std::vector<Spans>& product) const {
  std::vector<Displacements> box;
  append(regions, product, box);
}

void Slots::append(Regions& regions, const std::vector<Spans>& product, std::vector<Displacements>& box) const {
  if (box.size() == product.size()) return regions.push_back(region(box));
  for (const Displacements& span : product[box.size()]) {
    box.push_back(span);
    append(regions, product, box);
    box.pop_back();
  }
}

Region Slots::region(const std::vector<Displacements>& box) const {
  Bytes first = 0, last = slot_bytes_;  // bytes within each slot
  for (const Displacements& span : box) {
    const Bytes middle = first + (last - first + 1) / 2;
    if (span.half > 0) last = middle;
    if (span.half < 0) first = middle;
  }
  Region region{Buffer::scratch, offset_ + first, last - first, {}};
  std::size_t used = 0;
  for (std::size_t d = box.size(); d-- > 0;) {
    const Bytes distance = sides_[d].stride * slot_bytes_;
    region.offset += box[d].first * distance;
    const Level level{box[d].count, box[d].step * distance};
    if (level.count == 1) continue;
    if (used == 0 && level.stride == region.length) {
      region.length *= level.count;
    } else if (used > 0 && level.stride == region.levels[used - 1].count * region.levels[used - 1].stride) {
      region.levels[used - 1].count *= level.count;
    } else {
      QUADRILLE_ASSERT(used < region.levels.size());
      region.levels[used++] = level;
    }
  }
  return region;
}

Regions blocks_by_displacement(const std::vector<TorusSide>& sides, Rank me, Buffer buffer, int direction, Bytes block_bytes,
                               Bytes begin, Bytes end) {
  const Count row = sides.empty() ? 1 : sides.back().length;  // ranks of the last dimension are consecutive
  const Count here = me % row;
  const Count before_wrap = direction > 0 ? row - here : here + 1;
  Count rows = 1;
  for (std::size_t d = 0; d + 1 < sides.size(); ++d) rows *= sides[d].length;
  Regions regions;
  for (Count index = 0; index < rows; ++index) {
    Rank start = me;
    Count rest = index;
    for (std::size_t d = sides.size(); d-- > 1;) {
      const TorusSide& side = sides[d - 1];
      start = moved(start, side, direction * (rest % side.length));
      rest /= side.length;
    }
    const auto run = [&](Rank first, Count count) {
      if (count == 0) return;
      if (direction > 0 && end - begin == block_bytes)
        regions.push_back(blocks(buffer, first, count, block_bytes));
      else
        regions.push_back({buffer, first * block_bytes + begin, end - begin, {{{count, direction * block_bytes}, {}, {}}}});
    };
    run(start, before_wrap);
    run(start - here + (direction > 0 ? 0 : row - 1), row - before_wrap);
  }
  return regions;
}

Symmetry torus_symmetry(const std::vector<TorusSide>& sides, Count period) {
  std::vector<Symmetry::Digit> digits;
  for (auto side = sides.rbegin(); side != sides.rend(); ++side)
    digits.push_back({side->length, side->length % period == 0 ? period : side->length});
  return Symmetry(digits);
}

}  // namespace quadrille
