// SPDX-License-Identifier: BSD-3-Clause
// Vectors sent in segments, and how many there should be. A pipeline of `pipe` + segments rounds, each of one segment,
// costs (pipe + segments) * (start-up + bytes a segment * time a byte), least for
//
//   segments = sqrt(pipe * bytes * time a byte / start-up)
//
// A generator knows no machine, so the default is the optimum of a nominal one whose start-up takes as long as 8 KiB do.
#pragma once

#include "patterns/cut.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

inline constexpr Bytes nominal_startup_bytes = 8192;
inline constexpr Count most_segments_by_default = 1024;  // each is an entry in every rank's plan

// sqrt(pipe * bytes / nominal_startup_bytes), rounded, at most most_segments_by_default; 0 for no pipe.
Count best_segment_count(Count pipe, Bytes bytes);

// The parameter `segments`, 1 .. max(1, elements of the vector).
Parameter segments_parameter(ParameterValue (*standard_for)(const Problem&, const Parameters&), std::string_view standard_rule);

// One of `segments` pieces of a vector of whole elements.
inline Region segment(Buffer buffer, const Problem& problem, Count segments, Count index) {
  const auto position = [&](Count i) {  // what moves only need not be whole elements: the last piece has the rest
    if (i == segments) return problem.block_bytes;
    return cut_position(problem.block_bytes / problem.element_bytes, segments, i) * problem.element_bytes;
  };
  return {buffer, position(index), position(index + 1) - position(index), {}};
}

}  // namespace quadrille
