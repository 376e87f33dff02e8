// SPDX-License-Identifier: BSD-3-Clause
// What disturbs a measurement: other programs on the ranks' machines, and ranks that share a core.
#pragma once

#include <sched.h>

#include <random>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/race.hpp"

namespace quadrille {

// Measures how much processor time other programs use on the machines of the ranks.
class LoadMeter {
 public:
  LoadMeter() : start_(usage()) {}

  // Collective: the load since this object was made, on the machine where it disturbs the ranks most. Equal on all ranks.
  MachineLoad read(Communicator& communicator) const;

 private:
  struct Usage {
    double seconds = 0;  // elapsed time
    // CPU seconds of the whole machine without idle, I/O wait and interrupts, including time taken by other virtual machines.
    double all = 0;
    double own = 0;  // CPU seconds of this process
  };
  static Usage usage();

  Usage start_;
};

// Moves ranks to random cores. If there are more ranks than cores, times depend on which ranks share a core. The operating system
// decides this when ranks start, and its choice may last for seconds or for a whole launch. If a measurement moves the ranks from
// time to time, one launch shows the variation that otherwise occurs between launches.
class ShuffledPlaces {
 public:
  explicit ShuffledPlaces(Communicator& communicator);  // collective

  // Collective: moves each rank to a random core of its node, equally many ranks per core. Afterwards the system may move them
  // again. Does nothing if the node has a core for each rank, or if the launcher has bound the ranks. All ranks must pass a
  // generator in the same state.
  void draw(std::mt19937_64& random);

 private:
  Communicator& communicator_;
  cpu_set_t allowed_;       // cores that this rank may run on
  std::vector<int> cores_;  // these cores as a list; empty if ranks are not moved
};

}  // namespace quadrille
