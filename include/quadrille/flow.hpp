// SPDX-License-Identifier: BSD-3-Clause
// Schedules near the flow, for any network: blocks are cut into parts, each part goes from rank to rank on a way of its own, and
// the ways are chosen so that the busiest link carries as little as possible. Rounds are then filled with what each link can carry.
// Making such a schedule takes from milliseconds to minutes, so it is made once and kept as a document.
//
//   const FlowSchedule flow = flow_schedule(Problem::alltoall(64, 1024), parse_topology("torus:8x8"));
//   write_json(out, flow.schedule);
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "quadrille/candidate.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct FlowOptions {
  Count rounds = 0;    // into how many rounds the busiest link's bytes are divided; 0: the fewest that are near the best
  Count segments = 0;  // the parts of a block of mean length; 0: as many as the number of ranks asks for
  Count steps = 60;    // the most times that each part may change its way
  Count seconds = 0;   // the search for ways ends after this time with the best ways so far; 0: no limit
  // Called from time to time with what is being done.
  std::function<void(const std::string&)> progress = {};
};

struct FlowSchedule {
  Schedule schedule;
  Bytes busiest_link = 0;  // the most bytes of any link, in those of the machine's link: C2 shared is at least that
  Bytes c2_shared = 0;
  Bytes bound = 0;           // of C2 shared for any schedule (bound.hpp)
  bool was_stopped = false;  // by the limit of time
};

// Collectives without reductions: alltoall, allgather, broadcast, scatter, gather and their forms with counts.
bool has_flow(Collective collective);

// Equal arguments give equal schedules, unless the limit of time ends the search. Blocks of an allgather or a broadcast go along
// trees. Messages take the network's own ways between ranks; between switches no schedule can choose others. Throws Error{misuse}
// for other collectives, for another number of ranks and for options below 0, and Error{too_large} for more than 1024 ranks.
FlowSchedule flow_schedule(const Problem& problem, const Topology& topology, const FlowOptions& options = {});

// Reads "flow" or "flow:rounds=64,segments=4,steps=60,seconds=30". Throws Error{misuse}.
FlowOptions parse_flow_options(std::string_view specification);

// Returns the family named `specification` of these schedules on one network. Each schedule is made once; then `made` is called.
Family flow_family(const std::string& specification, const Topology& topology,
                   std::function<void(const std::string&)> progress = {}, std::function<void(const FlowSchedule&)> made = {});

}  // namespace quadrille
