// SPDX-License-Identifier: BSD-3-Clause
// Figures counted from a schedule, and the lower bounds that hold for every schedule of the same problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

struct Figures {
  Count c1 = 0;             // rounds with at least one message (barrier: with control)
  Bytes c2 = 0;             // sum over rounds of the longest message
  Count ports = 0;          // most messages that a rank sends, or receives, in a round
  Count startups = 0;       // messages sent by a rank, largest over the ranks
  Bytes traffic_out = 0;    // bytes sent by a rank, largest
  Bytes traffic_in = 0;     // bytes received by a rank, largest
  Bytes scratch = 0;        // bytes of scratch of a rank, largest
  Bytes control_bytes = 0;  // headers and count exchanges, all ranks together
  bool operator==(const Figures&) const = default;
};

// Counts from the orbit representatives where the schedule states a symmetry (so p = 10^6 takes no longer than p = 10),
// from all ranks otherwise; from all ranks as well if `every_rank`.
Figures figures(const Schedule& schedule, bool every_rank = false);

struct Bound {
  std::string figure;  // "c1" or "c2"
  Count value = 0;     // no schedule of the problem on `ports` ports has less
  std::string source;
};

// Bounds for a problem on k ports. `rounds`: the C1 of the schedule they stand beside; with it the compound bound, which
// says what C2 must at least be in so many rounds, applies to alltoall. Empty where none is known.
std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds = {});

}  // namespace quadrille
