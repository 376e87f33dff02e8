// SPDX-License-Identifier: BSD-3-Clause
// When two schedules are the same, although they are written differently.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the program as the JSON form represents it: contiguous runs, local operations with one region on each side, receives in
// the order of their senders, and nothing that moves no bytes. Programs that do the same with the same bytes, in the same rounds,
// then compare as equal. Throws Error{misuse, too_large} like `bytes` and `hull`.
Program normalised(Program program);

// Do the schedules have the same problem, specification and sizes of buffers, and does each rank do the same in both? A schedule
// equals what is read from its JSON document or text. Makes all programs.
bool is_same(const Schedule& one, const Schedule& other);

}  // namespace quadrille
