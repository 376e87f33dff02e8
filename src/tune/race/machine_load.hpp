// SPDX-License-Identifier: BSD-3-Clause
// Measures how much processor time other programs use on the ranks' machines.
#pragma once

#include "quadrille/race.hpp"

namespace quadrille {

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

}  // namespace quadrille
