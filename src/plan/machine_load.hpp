// SPDX-License-Identifier: BSD-3-Clause
// How much of the ranks' machines others use meanwhile.
#pragma once

#include "quadrille/race.hpp"

namespace quadrille {

class LoadMeter {
 public:
  LoadMeter() : start_(usage()) {}

  // Collective: since this was made, on the machine where others disturb the most. The same on all ranks.
  MachineLoad read(Communicator& communicator) const;

 private:
  struct Usage {
    double seconds = 0;  // of time
    double all = 0;  // CPU seconds of the whole machine, without waiting and interrupts; what another virtual machine took counts
    double own = 0;  // CPU seconds of this process
  };
  static Usage usage();

  Usage start_;
};

}  // namespace quadrille
