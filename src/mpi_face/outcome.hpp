// SPDX-License-Identifier: BSD-3-Clause
// How a call went, for the report.
#pragma once

#include <cstdint>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

struct Site;

struct CallOutcome {
  Site* site = nullptr;   // of calls that are alike; null where nothing is kept of them
  Bytes block_bytes = 0;  // what a call of this size class has for one block; 0 where it is not known
  bool is_root = false;   // of a rooted call
  bool by_ours = false;
  std::uint64_t settling_ticks = 0;  // of the call's time, spent on groups, plans and trials
  std::uint64_t late_ticks = 0;      // waited for late ranks, where that was measured
  std::string_view why;              // it was passed to the MPI library; stays valid as long as the communicator's state
};

}  // namespace quadrille::mpi_face
