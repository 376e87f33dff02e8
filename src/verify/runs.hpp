// SPDX-License-Identifier: BSD-3-Clause
// Which bytes lists of regions have in common.
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

std::optional<Region> repeated(const std::vector<Run>& runs);  // bytes that occur twice among sorted runs

// Bytes that occur among `reads` and among `writes`, which do not repeat each other; both sorted.
std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes);

}  // namespace quadrille
