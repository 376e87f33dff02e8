// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/segments.hpp"

#include <algorithm>
#include <cmath>

namespace quadrille {

Count best_segment_count(Count pipe, Bytes bytes) {
  const double startups = static_cast<double>(bytes) / static_cast<double>(nominal_startup_bytes);  // as many as the bytes cost
  const double best = std::sqrt(static_cast<double>(pipe) * startups);
  return std::llround(std::min(best, static_cast<double>(most_segments_by_default)));
}

Parameter segments_parameter(ParameterValue (*standard_for)(const Problem&, const Parameters&), std::string_view standard_rule) {
  return {.name = "segments",
          .summary = "pieces that the vector is sent in",
          .standard_for = standard_for,
          .standard_rule = standard_rule,
          .least = 1,
          .most = [](const Problem& problem) { return std::max<Count>(1, problem.block_bytes / problem.element_bytes); },
          .range = "1..max(1,elements)"};
}

}  // namespace quadrille
