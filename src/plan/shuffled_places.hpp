// SPDX-License-Identifier: BSD-3-Clause
// With more ranks than cores, times depend on which ranks share a core. The system decides that when ranks start, and it may stay
// so for seconds or for a whole launch. A measurement that draws it anew now and then sees in one launch what others see, too.
#pragma once

#include <sched.h>

#include <random>
#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

class ShuffledPlaces {
 public:
  explicit ShuffledPlaces(Communicator& communicator);  // collective

  // Collective: puts each rank on a core of its node by chance, on each core equally many, and then lets the system move it again.
  // Ranks stay where they are if their node has a core for each, or if the launcher has bound them. All ranks pass a generator in
  // the same state.
  void draw(std::mt19937_64& random);

 private:
  Communicator& communicator_;
  cpu_set_t allowed_;       // cores that this rank may run on
  std::vector<int> cores_;  // the same as a list; empty where ranks stay
};

}  // namespace quadrille
