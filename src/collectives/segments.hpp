// SPDX-License-Identifier: BSD-3-Clause
// Segments are the parts into which a vector is cut so that they can be sent as a pipeline. A pipeline of `pipe` +
// segments rounds, with one segment in each round, costs
//
//   (pipe + segments) * (start-up + bytes per segment * time per byte)
//
// The number of segments with the lowest cost is
//
//   segments = sqrt(pipe * bytes * time per byte / start-up)
//
// A generator does not know the machine. The default therefore assumes a start-up that costs as much as 8 KiB.
#pragma once

#include "patterns/cut.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

inline constexpr Bytes nominal_startup_bytes = 8192;
inline constexpr Count most_segments_by_default = 1024;  // each segment is an entry in every rank's plan

// sqrt(pipe * bytes / nominal_startup_bytes), rounded, at most most_segments_by_default; 0 if `pipe` is 0.
Count best_segment_count(Count pipe, Bytes bytes);

// The parameter `segments`, in 1 .. max(1, elements of the vector).
Parameter segments_parameter(ParameterValue (*standard_for)(const Problem&, const Parameters&), std::string_view standard_rule);

// Segment `index` of `segments`. Segments consist of whole elements; the last one also has the bytes of an incomplete
// element.
inline Region segment(Buffer buffer, const Problem& problem, Count segments, Count index) {
  const auto position = [&](Count i) {  // byte offset of segment i; vectors that are only moved may end with an incomplete element
    if (i == segments) return problem.block_bytes;
    return cut_position(problem.block_bytes / problem.element_bytes, segments, i) * problem.element_bytes;
  };
  return {buffer, position(index), position(index + 1) - position(index), {}};
}

}  // namespace quadrille
