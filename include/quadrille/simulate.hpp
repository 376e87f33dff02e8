// SPDX-License-Identifier: BSD-3-Clause
// Simulating a schedule on a machine, which need not be at hand. By rounds: one after the other, each as long as a model says; that
// is the schedule's price, told round by round.
//
//   const Schedule schedule = make_schedule(alltoall(64, 1024), "bruck:radix=8");
//   simulate_rounds(schedule, *find_model("linear"), find_machine("sp1")).end;  // picoseconds
#pragma once

#include <string>
#include <vector>

#include "quadrille/model.hpp"
#include "quadrille/picoseconds.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct SimulatedRound {
  Count number = 0;
  Picoseconds begin = 0, end = 0;  // of its first message and its last
  Count sharing = 0;               // messages over its busiest link, where links are counted
  Bytes link_bytes = 0;            // the most that a link carries
  Link busiest_link;               // that so many share; none where that is 0
};

struct SimulatedStage {
  std::string name;
  Picoseconds begin = 0, end = 0;      // what is done ahead of its first round included
  std::vector<SimulatedRound> rounds;  // those with a message, ascending
};

struct Simulation {
  Picoseconds end = 0;  // when the last rank is through
  std::vector<SimulatedStage> stages;
};

// Round by round; `end` is Price::blocking of the same workload, to the picosecond. Counts by the representatives of a stated
// symmetry, so that a million ranks take no longer than ten; links are loaded by the images of the representatives' messages.
// Throws like `workload` and `price_of`.
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const Coefficients& coefficients,
                           const WorkloadOptions& options = {});
Simulation simulate_rounds(const Schedule& schedule, const Model& model, const MachineCosts& machine,
                           const WorkloadOptions& options = {});

}  // namespace quadrille
