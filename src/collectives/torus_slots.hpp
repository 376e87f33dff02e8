// SPDX-License-Identifier: BSD-3-Clause
// Blocks on a torus that are known by their displacement: what is for the rank w further on lies in slot w of the scratch memory of
// whatever rank it has come to. A message is a box of slots, read at its sender and written at its receiver, and programs repeat
// where the torus does.
#pragma once

#include <vector>

#include "quadrille/program_builder.hpp"

namespace quadrille {

// The dimensions of the grid that have more than one place; without a grid the ranks are a ring.
struct TorusSide {
  int dimension = 0;
  Count length = 1;
  Count stride = 1;  // in ranks
};

std::vector<TorusSide> torus_sides(const Problem& problem);

Rank moved(Rank rank, const TorusSide& side, Count by);
inline Count place_on(const TorusSide& side, Rank rank) { return rank / side.stride % side.length; }

bool sides_divisible(const std::vector<TorusSide>& sides, Count by);

// Displacements first, first + step, .. in one dimension; of the bytes in their slots all, the first half (1) or the second (-1).
struct Displacements {
  Count first = 0;
  Count count = 0;
  Count step = 1;
  int half = 0;
};
using Spans = std::vector<Displacements>;

inline Spans all_of(const TorusSide& side) { return {{0, side.length}}; }
inline Spans odd_ones(const TorusSide& side) { return {{1, side.length / 2, 2}}; }

// Along a line whose places are grouped in `group` neighbouring ones: the displacements of blocks that have `step` groups or more
// to go in a direction, 1 <= step < groups, of those that started at place `residue` of their group.
Displacements groups_away(const TorusSide& side, Count group, Count residue, int direction, Count step);

// The slots of one part of the blocks: one for each displacement. Sides tell strides in slots.
class Slots {
 public:
  Slots(const std::vector<TorusSide>& sides, Bytes offset, Bytes slot_bytes)
      : sides_(sides), offset_(offset), slot_bytes_(slot_bytes) {}

  // Appends a region for each way to take one span in each dimension; the last dimension turns fastest.
  void append(Regions& regions, const std::vector<Spans>& product) const;

 private:
  void append(Regions& regions, const std::vector<Spans>& product, std::vector<Displacements>& box) const;
  Region region(const std::vector<Displacements>& box) const;

  std::vector<TorusSide> sides_;
  Bytes offset_, slot_bytes_;
};

// In a user's buffer the bytes begin .. end - 1 of the blocks of the ranks that are 0, 1, .. further on in a direction, in the
// order of slots.
Regions blocks_by_displacement(const std::vector<TorusSide>& sides, Rank me, Buffer buffer, int direction, Bytes block_bytes,
                               Bytes begin, Bytes end);

// What repeats after `period` places in each dimension.
Symmetry torus_symmetry(const std::vector<TorusSide>& sides, Count period);

}  // namespace quadrille
