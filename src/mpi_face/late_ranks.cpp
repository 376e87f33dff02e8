// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/late_ranks.hpp"

#include <algorithm>
#include <limits>

#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

LateRanks::LateRanks(MPI_Comm communicator, Rank rank, Count ranks)
    : communicator_(communicator), is_first_(rank == 0), sampling_(ranks), last_s_(PMPI_Wtime()) {}

// The last rank to arrive waits for nobody. So the shortest time over all ranks is the barrier's own time, and the rest of a rank's
// time is its wait. The same allreduce finds the greatest cost, over all ranks, of the previous measurement.
double LateRanks::measure(CallOutcome& outcome) {
  const double begin_s = PMPI_Wtime();
  const std::uint64_t begin = ticks();
  PMPI_Barrier(communicator_);
  const std::uint64_t took = ticks() - begin;
  const double took_s = PMPI_Wtime() - begin_s;

  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t least[] = {static_cast<std::int64_t>(took), most - last_cost_ns_, most};
  if (is_first_)
    least[2] = static_cast<std::int64_t>(cost_s_ > 0 ? sampling_.interval(begin_s - last_s_, cost_s_) : Sampling::first);
  PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, communicator_);
  barrier_ticks_ = std::min(barrier_ticks_, static_cast<std::uint64_t>(least[0]));
  if (const double cost_s = 1e-9 * static_cast<double>(most - least[1]); cost_s > 0)
    cost_s_ = cost_s_ > 0 ? 0.75 * cost_s_ + 0.25 * cost_s : cost_s;
  sampling_.go_on(static_cast<std::uint64_t>(least[2]));

  const std::uint64_t late = took - std::min(took, barrier_ticks_);
  const double late_s = took > 0 ? took_s * static_cast<double>(late) / static_cast<double>(took) : 0;
  outcome.late_ticks = late;
  outcome.settling_ticks += ticks() - begin - late;
  last_s_ = PMPI_Wtime();
  const double cost_s = std::max(last_s_ - begin_s - late_s, 1e-9);
  last_cost_ns_ = static_cast<std::int64_t>(1e9 * cost_s);
  return cost_s;
}

}  // namespace quadrille::mpi_face
