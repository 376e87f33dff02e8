// SPDX-License-Identifier: BSD-3-Clause
// Blocks on a torus, identified by their displacement: a block for the rank at displacement w lies in slot w of the
// scratch memory of every rank that it visits. A message is a box of slots, which is read at the sender and written at the
// receiver. So all ranks at equivalent positions of the torus have the same program up to translation.
#pragma once

#include <vector>

#include "quadrille/program_builder.hpp"

namespace quadrille {

// A dimension of the grid with more than one place. Without a grid, the ranks form one ring.
struct TorusSide {
  int dimension = 0;
  Count length = 1;
  Count stride = 1;  // in ranks
};

std::vector<TorusSide> torus_sides(const Problem& problem);

Rank moved(Rank rank, const TorusSide& side, Count by);
inline Count place_on(const TorusSide& side, Rank rank) { return rank / side.stride % side.length; }

bool sides_divisible(const std::vector<TorusSide>& sides, Count by);

// The displacements first, first + step, .. in one dimension. `half` selects bytes of their slots: all (0), the first
// half (1) or the second half (-1).
struct Displacements {
  Count first = 0;
  Count count = 0;
  Count step = 1;
  int half = 0;
};
using Spans = std::vector<Displacements>;

inline Spans all_of(const TorusSide& side) { return {{0, side.length}}; }
inline Spans odd_ones(const TorusSide& side) { return {{1, side.length / 2, 2}}; }

// On a line divided into groups of `group` neighbouring places: the displacements of blocks that started at place
// `residue` of their group and have to travel at least `step` groups in this direction, 1 <= step < number of groups.
Displacements groups_away(const TorusSide& side, Count group, Count residue, int direction, Count step);

// The slots of one part of the blocks, one slot for each displacement. The sides' strides are in slots.
class Slots {
 public:
  Slots(const std::vector<TorusSide>& sides, Bytes offset, Bytes slot_bytes)
      : sides_(sides), offset_(offset), slot_bytes_(slot_bytes) {}

  // Appends a region for each combination of one span per dimension; the last dimension varies fastest.
  void append(Regions& regions, const std::vector<Spans>& product) const;

 private:
  void append(Regions& regions, const std::vector<Spans>& product, std::vector<Displacements>& box) const;
  Region region(const std::vector<Displacements>& box) const;

  std::vector<TorusSide> sides_;
  Bytes offset_, slot_bytes_;
};

// Returns the bytes [begin, end) of each block in a user's buffer, in the order of slots: first the block of this rank, then the
// blocks of the ranks at displacements 1, 2, .. in `direction`.
Regions blocks_by_displacement(const std::vector<TorusSide>& sides, Rank me, Buffer buffer, int direction, Bytes block_bytes,
                               Bytes begin, Bytes end);

// The symmetry of programs that repeat every `period` places in each dimension.
Symmetry torus_symmetry(const std::vector<TorusSide>& sides, Count period);

}  // namespace quadrille
