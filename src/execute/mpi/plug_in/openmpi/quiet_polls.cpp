// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/quiet_polls.hpp"

// Open MPI has no public interface for this. Its own MPI_Init calls this function, which returns the value before. Weak, so that
// its address is null in a version without it.
extern "C" __attribute__((weak)) bool opal_progress_set_yield_when_idle(bool yields);

namespace quadrille {

bool QuietPolls::are_possible() {
  static const bool polls_yield = [] {
    if (!opal_progress_set_yield_when_idle) return false;
    const bool before = opal_progress_set_yield_when_idle(false);
    opal_progress_set_yield_when_idle(before);
    return before;
  }();
  return polls_yield;
}

// The destructor restores the value that MPI_Init has set, not the last one: another thread may be polling quietly.
QuietPolls::QuietPolls() {
  if (are_possible()) opal_progress_set_yield_when_idle(false);
}

QuietPolls::~QuietPolls() {
  if (are_possible()) opal_progress_set_yield_when_idle(true);
}

}  // namespace quadrille
