// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/mpi_starts.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "execute/process_events.hpp"
#include "execute/mpi/plug_in/group.hpp"
#include "foundation/environment.hpp"

namespace quadrille {

bool MpiStarts::asked_to_compare() { return tolerated_environment_value("QUADRILLE_CHECK") == "1"; }

MpiStarts::MpiStarts(MpiGroup& group) : group_(group), has_ended_(EndOfMpi::over()) {}

void MpiStarts::begin(std::uint32_t plan) {
  if (has_ended_.load(std::memory_order_relaxed)) throw_ended();
  check_not_forked();
  if (compares_ && !group_.is_freed()) compare(plan);
}

const std::shared_ptr<InFlight>& MpiStarts::in_flight() const { return group_.in_flight(); }

bool MpiStarts::may_advance_in_background() const { return group_.process().serves_many_threads(); }

void MpiStarts::give_core_away() const {
  if (!MpiProcess::poll()) sched_yield();
}

void MpiStarts::compare(std::uint32_t plan) {
  std::vector<std::uint32_t> plans(static_cast<std::size_t>(group_.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(PMPI_Iallgather(&plan, 1, MPI_UINT32_T, plans.data(), 1, MPI_UINT32_T, group_.handle(), &request), "MPI_Iallgather");
  group_.waiter().wait_all(1, &request);
  const auto other = std::find_if(plans.begin(), plans.end(), [&](std::uint32_t each) { return each != plans.front(); });
  if (other == plans.end()) return;
  throw Error(ErrorCode::misuse, fmt::format("rank 0 starts {} where rank {} starts {}, so they would wait for each other; start "
                                             "plans in the same order on all ranks",
                                             call_of(plans.front()), other - plans.begin(), call_of(*other)));
}

}  // namespace quadrille
