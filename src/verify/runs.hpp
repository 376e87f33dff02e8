// SPDX-License-Identifier: BSD-3-Clause
// Finds bytes that occur twice in lists of regions.
#pragma once

#include <optional>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

struct Run {
  Buffer buffer;
  Bytes first, last;
};

std::vector<Run> sorted_runs(const Regions& regions);

std::optional<Region> repeated(const std::vector<Run>& runs);  // bytes that occur twice in sorted runs

// Returns bytes that occur in both `reads` and `writes`. Both are sorted, and `writes` has no byte twice.
std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes);

}  // namespace quadrille
