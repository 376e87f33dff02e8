// SPDX-License-Identifier: BSD-3-Clause
// Measures now and then how long a rank waits for late ranks, by a barrier before a call.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi_face/call.hpp"
#include "mpi_face/policy/meetings.hpp"

namespace quadrille::mpi_face {

class LateRanks {
 public:
  LateRanks(MPI_Comm communicator, Rank rank, Count ranks);

  // Counts a call that synchronises, and returns whether all ranks measure before it. `price_s` as for Sampling.
  bool counts(double price_s) { return sampling_.counts(price_s); }

  // Collective. Returns the seconds that measuring took, without the waiting.
  double measure(CallOutcome& outcome);

 private:
  const MPI_Comm communicator_;
  const bool is_first_;
  Sampling sampling_;
  double last_s_;                  // when the last measurement ended
  std::int64_t last_cost_ns_ = 0;  // of the last measurement, on this rank
  double cost_s_ = 0;              // of recent measurements, by the rank that took longest; equal on all ranks; 0: not known yet
  std::uint64_t barrier_ticks_ = ~std::uint64_t{0};  // the least time of a barrier on the rank that came last; equal on all ranks
};

}  // namespace quadrille::mpi_face
