// SPDX-License-Identifier: BSD-3-Clause
// The trace of a projection for Perfetto: one process by the MPI library's collectives and
// one by ours, each with a track for each rank.
#pragma once

#include <array>
#include <iosfwd>
#include <string_view>
#include <vector>

#include "quadrille/projection.hpp"
#include "quadrille/recording.hpp"
#include "trace/perfetto.hpp"

namespace quadrille::command {

class ProjectionTrace {
 public:
  // `vendor_title`: "Open MPI 4.1". `place`: place_text.
  ProjectionTrace(std::ostream& out, const Recording& recording, std::string_view vendor_title, std::string_view place);

  void add(const ProjectedPiece& piece);

 private:
  PerfettoPackets packets_;
  const Recording& recording_;
  std::array<std::vector<std::uint64_t>, 2> tracks_;  // of either side's ranks
};

}  // namespace quadrille::command
