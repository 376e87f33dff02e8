// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/wait/close_areas.hpp"

#include <memory>

namespace quadrille {

// Each area is released when all ranks have closed. The last check is this rank's last access to `closing`.
void close_areas(SharedSpace& space, Closing& closing, std::span<const Offset> own, Offset control) {
  closing.close();
  if (own.empty()) closing.go_through();
  const Count ranks = space.size();
  const auto checks = std::make_shared<std::size_t>(own.size());
  for (const Offset place : own)
    space.retire(place, [&closing, ranks, checks] {
      if (!closing.have_closed(ranks)) return false;
      if (--*checks == 0) closing.go_through();
      return true;
    });
  if (space.rank() == 0) space.retire(control, [&closing, ranks] { return closing.are_through(ranks); });
}

}  // namespace quadrille
