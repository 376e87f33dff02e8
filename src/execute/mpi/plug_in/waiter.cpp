// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/waiter.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace quadrille {
namespace {

// Has every rank of this node a core of its own? Launchers may bind ranks, so the cores of all of them are counted.
bool core_for_every_rank(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int ranks = 0;
  check_mpi(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  std::vector<cpu_set_t> masks(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, masks.data(), sizeof mine, MPI_BYTE, node), "MPI_Allgather");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const cpu_set_t& mask : masks) CPU_OR(&all, &all, &mask);
  return ranks <= CPU_COUNT(&all);
}

std::chrono::nanoseconds duration(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::steady_clock::now() - start;
}

// Does a fruitless poll give the core away? No interface tells, but then it takes about as long as giving it away, several
// hundred nanoseconds, and otherwise a tenth of that. The two are timed in turn, since both depend on who else wants the core.
bool polls_give_core_away(MPI_Comm communicator) {
  constexpr std::size_t samples = 101;
  int self = 0, done = 0;
  MPI_Request never = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_rank(communicator, &self), "MPI_Comm_rank");
  check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, self, 1, communicator, &never), "MPI_Irecv");
  std::vector<std::chrono::nanoseconds> polls, yields;
  for (std::size_t i = 0; i < samples; ++i) {
    polls.push_back(duration([&] { check_mpi(MPI_Testall(1, &never, &done, MPI_STATUSES_IGNORE), "MPI_Testall"); }));
    yields.push_back(duration([] { sched_yield(); }));
  }
  check_mpi(MPI_Cancel(&never), "MPI_Cancel");
  check_mpi(MPI_Wait(&never, MPI_STATUS_IGNORE), "MPI_Wait");
  std::nth_element(polls.begin(), polls.begin() + samples / 2, polls.end());
  std::nth_element(yields.begin(), yields.begin() + samples / 2, yields.end());
  // Ranks of one library do alike; what one of them saw clearly another may have missed.
  const int mine = 2 * polls[samples / 2] >= yields[samples / 2] ? 1 : 0;
  int any = 0;
  check_mpi(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, communicator), "MPI_Allreduce");
  return any == 1;
}

}  // namespace

Waiter::Waiter(MPI_Comm communicator, InFlight& in_flight) : in_flight_(&in_flight) {
  polls_yield_ = polls_give_core_away(communicator);
  yields_ = !core_for_every_rank(communicator) && !polls_yield_;
}

}  // namespace quadrille
