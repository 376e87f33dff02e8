// SPDX-License-Identifier: BSD-3-Clause
// Figures counted from a schedule, and the lower bounds that hold for every schedule of the same problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

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

// Bytes of output and scratch of a rank together, the most: what a schedule writes to. Counts from the same ranks.
Bytes output_and_scratch(const Schedule& schedule);

struct Bound {
  std::string figure;  // "c1", "c2" or "c2_shared"
  Count value = 0;     // no schedule of the problem, on `ports` ports or on the topology, has less
  std::string source;
};

// Bounds for a problem on k ports. `rounds`: the C1 of the schedule they stand beside; with it the compound bound, which
// says what C2 must at least be in so many rounds, applies to alltoall. Empty where none is known.
std::vector<Bound> lower_bounds(const Problem& problem, Count ports, std::optional<Count> rounds = {});

// What a schedule does to a network's links. Messages with a port run straight from it, where the
// network has such a way, and others as it routes them.
struct LinkFigures {
  Count sharing = 0;    // the most messages of a round that go over one directed link; 1: no contention
  Bytes c2_shared = 0;  // sum over rounds of the longest message times the sharing of the round
  bool operator==(const LinkFigures&) const = default;
};

// From all ranks; where no symmetry is stated their messages are held in memory. Throws Error{misuse} unless the topology has as
// many ranks as the schedule.
LinkFigures link_figures(const Schedule& schedule, const Topology& topology);

// Bounds that hold on a topology however messages are routed. Empty where none is known. Throws like link_figures.
std::vector<Bound> lower_bounds(const Problem& problem, const Topology& topology);

}  // namespace quadrille
