// SPDX-License-Identifier: BSD-3-Clause
// Releases the memory of a plan or an exchange when no rank of the group accesses it any more (protocol/closing.hpp).
#pragma once

#include <span>

#include "execute/shared/protocol/closing.hpp"
#include "execute/shared/wait/space.hpp"

namespace quadrille {

// Local. This rank will not access any other rank's areas. Retires its own, and at rank 0 the control memory, in which `closing`
// lies.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control);

}  // namespace quadrille
