// SPDX-License-Identifier: BSD-3-Clause
// Tries what a schedule would do if one suspect read or wrote other places. A suspect that explains findings may be innocent; the
// guilty one, if it is repaired, leaves fewer findings.
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "verify/suspects.hpp"

namespace quadrille {

// A change of an operation: regions that it reads, or writes, are moved by a distance, and perhaps to another buffer.
struct Repair {
  bool reads = false;
  Buffer buffer = Buffer::input;
  Bytes by = 0;
  auto operator<=>(const Repair&) const = default;
};

// The repair for which a suspicion of kind wrong_source or wrong_target asks.
Repair repair_for(const Suspicion& suspicion);

struct Repaired {
  Repair repair;
  std::size_t left = 0;  // findings
  // Comparable operations at other ranks with the same regions, before the repair less those after it: the guilty one is often the
  // one that differs from all others.
  Count irregular = 0;
  // Bytes of scratch at the repaired end's rank that are both written and read; right schedules leave no holes in it.
  Bytes used_scratch = 0;
};

// Tries the repairs that most suspicions suggest, with the regions that they suggest. Returns the repair that leaves the fewest
// findings; among equal ones, the most regular. At most `most` findings are counted. Returns nothing if nothing is
// asked for or if all regions would leave their buffers.
std::optional<Repaired> best_repair(const Schedule& schedule, const ByteFlow& flow, std::size_t operation,
                                    const std::vector<const Suspicions*>& suspicions, std::size_t most);

}  // namespace quadrille
