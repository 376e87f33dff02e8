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

template <class Call>
std::chrono::nanoseconds shortest(Call&& call) {
  using Clock = std::chrono::steady_clock;
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    call();
    best = std::min<std::chrono::nanoseconds>(best, Clock::now() - start);
  }
  return best;
}

// Does a fruitless poll give the core away? No interface tells, but then it takes at least as long as giving it away.
bool library_yields(MPI_Comm communicator) {
  int self = 0, done = 0;
  MPI_Request never = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_rank(communicator, &self), "MPI_Comm_rank");
  check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, self, 1, communicator, &never), "MPI_Irecv");
  const auto poll = shortest([&] { check_mpi(MPI_Testall(1, &never, &done, MPI_STATUSES_IGNORE), "MPI_Testall"); });
  const auto yield = shortest([] { sched_yield(); });
  check_mpi(MPI_Cancel(&never), "MPI_Cancel");
  check_mpi(MPI_Wait(&never, MPI_STATUS_IGNORE), "MPI_Wait");
  return poll >= yield;
}

}  // namespace

Waiter::Waiter(MPI_Comm communicator) : yields_(!core_for_every_rank(communicator) && !library_yields(communicator)) {}

}  // namespace quadrille
