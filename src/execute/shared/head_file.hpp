// SPDX-License-Identifier: BSD-3-Clause
// The head of the group that `quadrille run` starts: a file without a name, which the ranks inherit. There they exchange their
// cards (process.hpp). The launcher keeps it, and says there that a rank's process has ended.
#pragma once

#include <memory>

#include "execute/shared/descriptor.hpp"
#include "execute/shared/space.hpp"

namespace quadrille {

// Throws Error{misuse} for a number of ranks that none is made for, Error{environment} where the machine gives none.
Descriptor make_head_file(Count ranks);

// Is this descriptor such a file for `ranks` ranks, with an undamaged title? It may be anything.
bool is_head_file(int file, Count ranks);

// The head, mapped for as long as anybody keeps it. Throws Error{environment} if it cannot be, or the file is none for `ranks`
// ranks.
std::shared_ptr<SpaceHead> open_head_file(const Descriptor& file, Count ranks);

// For whoever started a rank's process, which has ended: unless the rank has left as it should, the group cannot go on.
void say_ended(const Descriptor& file, Rank rank);

}  // namespace quadrille
