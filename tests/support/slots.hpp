// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "execute/shared/unplanned/pair_slots.hpp"

namespace quadrille::testing {

// Collective. Returns slots that all ranks of the group may use.
inline PairSlots slots_of(SharedSpace& space) {
  PairSlots slots(space);
  const Offset control = space.rank() == 0 ? space.allocate_control(slots.control_bytes()) : 0;
  ByRank<Offset> all(space.size());
  space.all_gather(&control, all.data(), sizeof control);
  slots.begin_at(all[0]);
  space.barrier();
  return slots;
}

}  // namespace quadrille::testing
