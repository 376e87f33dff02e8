// SPDX-License-Identifier: BSD-3-Clause
// The head file of a group that `quadrille run` starts: an anonymous file (memfd) that holds the group's head and trays
// (wait/head.hpp). The ranks inherit its descriptor, and exchange their cards (process.hpp) through it. The guard maps it, too, and
// marks there that a rank's process has ended.
#pragma once

#include <memory>

#include "execute/shared/wait/space.hpp"
#include "foundation/system/files.hpp"

namespace quadrille {

// Throws Error{misuse} unless 1 <= ranks <= GroupSpace::most_ranks, Error{environment} if the system refuses the file.
Descriptor make_head_file(Count ranks);

// Is this descriptor a head file for `ranks` ranks, with an undamaged title? `file` may be any number.
bool is_head_file(int file, Count ranks);

// Returns the head; it stays mapped until the last copy of the pointer is destroyed. Throws Error{environment} if the file cannot
// be mapped, or is not a head file for `ranks` ranks.
std::shared_ptr<SpaceHead> open_head_file(const Descriptor& file, Count ranks);

// The guard calls this when a rank's process has ended. If the rank had not left the group before, the group fails.
void say_ended(const Descriptor& file, Rank rank);

}  // namespace quadrille
