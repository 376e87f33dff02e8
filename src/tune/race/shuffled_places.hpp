// SPDX-License-Identifier: BSD-3-Clause
// Moves ranks to random cores. If there are more ranks than cores, times depend on which ranks share a core. The operating system
// decides this when ranks start, and its choice may last for seconds or for a whole launch. A measurement that moves the ranks now
// and then sees, in one launch, the variation that otherwise occurs between launches.
#pragma once

#include <sched.h>

#include <random>
#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

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
  std::vector<int> cores_;  // the same as a list; empty if ranks are not moved
};

}  // namespace quadrille
