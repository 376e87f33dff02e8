// SPDX-License-Identifier: BSD-3-Clause
// Parts of buffers: the shares of ranks, and the segments of a pipeline.
#pragma once

#include "patterns/integers.hpp"
#include "patterns/trees.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// The share of each rank in a buffer that holds the shares of all ranks, in rank order and without gaps. Offsets are
// products for regular collectives. For irregular ones they are prefix sums, computed once for all ranks.
class Shares : public Analysis {
 public:
  explicit Shares(const Problem& problem);

  Bytes before(Rank rank) const { return sums_.empty() ? rank * block_bytes_ : sums_[index(rank)]; }
  Bytes of(Rank rank) const { return before(rank + 1) - before(rank); }

  Bytes bytes(RankRange range) const;  // of a range, which may wrap around from rank p - 1 to 0
  Region of(Buffer buffer, Rank rank) const { return {buffer, before(rank), of(rank), {}}; }
  Regions of(Buffer buffer, RankRange range) const;  // at most two regions

  // For use as Algorithm::analyse.
  static std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters&);

 private:
  Count ranks_;
  Bytes block_bytes_;
  std::vector<Bytes> sums_;  // irregular collectives: p + 1 prefix sums; else empty
};

// The word for one rank's part of the data in help texts.
inline std::string share_word(Collective collective) { return is_irregular(collective) ? "share" : "block"; }

inline const Shares& shares(const Analysis* analysis) { return static_cast<const Shares&>(*analysis); }

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

inline constexpr Bytes nominal_startup_bytes = 8192;
inline constexpr Count most_segments_by_default = 1024;  // each segment is an entry in every rank's plan

// sqrt(pipe * bytes / nominal_startup_bytes), rounded, at most most_segments_by_default; 0 if `pipe` is 0.
Count best_segment_count(Count pipe, Bytes bytes);

// The parameter `segments`, in 1 .. max(1, elements of the vector).
Parameter segments_parameter(ParameterValue (*standard_for)(const Problem&, const Parameters&), std::string_view standard_rule);

// Returns segment `index` of the problem's data, which is cut into `segments` segments of whole elements. The last segment also has
// the bytes of an incomplete element.
inline Region segment(Buffer buffer, const Problem& problem, Count segments, Count index) {
  const auto position = [&](Count i) {  // byte offset of segment i; vectors that are only moved may end with an incomplete element
    if (i == segments) return problem.block_bytes;
    return cut_position(problem.block_bytes / problem.element_bytes, segments, i) * problem.element_bytes;
  };
  return {buffer, position(index), position(index + 1) - position(index), {}};
}

}  // namespace quadrille
