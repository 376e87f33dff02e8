// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "seeds/fibres.hpp"
#include "seeds/memory.hpp"

namespace quadrille::seeds {

// All messages of a run. Messages from one rank to another with one tag arrive in the order in which they were sent. A short
// message is copied when it is sent, as long as there is room for it; a long one is copied when both ranks have called MPI since
// the receive was posted. Nothing moves while a rank is outside of MPI.
class FakeMpi {
 public:
  explicit FakeMpi(Chance& chance);
  ~FakeMpi();
  static FakeMpi* current();

  MPI_Comm communicator(std::size_t rank);  // the rank's handle
  void progress();                          // what a call of MPI does besides its own work, for the running rank

  struct State;
  State& state() { return *state_; }

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace quadrille::seeds
