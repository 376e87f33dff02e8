// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/scaling.hpp"

#include <algorithm>

#include "schedule/regions.hpp"

namespace quadrille {

std::optional<Program> scaled(Program program, Bytes from, Bytes to) {
  bool fits = true;
  const auto scale = [&](Bytes& value) {
    fits = fits && value % from == 0;
    value = value / from * to;
  };
  scale(program.scratch_bytes);
  for (Round& round : program.rounds) {
    for_all_regions(round, [&](Regions& regions) {
      for (Region& region : regions) {
        scale(region.offset), scale(region.length);
        for (Level& level : region.levels) scale(level.stride);
      }
    });
    for (const auto* const controls : {&round.control_sends, &round.control_receives})
      fits = fits && std::ranges::all_of(*controls, [](const Control& control) { return control.bytes == 0; });
  }
  return fits ? std::optional(std::move(program)) : std::nullopt;
}

}  // namespace quadrille
