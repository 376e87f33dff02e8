// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/vendor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/vendor_executable.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Counts and displacements of consecutive pieces, as MPI wants them.
struct MpiLayout {
  std::vector<int> counts, displacements;

  template <class CountOf>
  static MpiLayout of(Count ranks, CountOf&& count_of) {
    MpiLayout layout;
    Bytes at = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      layout.counts.push_back(static_cast<int>(count_of(rank)));
      layout.displacements.push_back(static_cast<int>(at));
      at += count_of(rank);
    }
    return layout;
  }
};

Bytes share(const Problem& problem, Rank rank) { return problem.counts ? (*problem.counts)[index(rank)] : problem.block_bytes; }

MpiLayout shares(const Problem& problem) {
  return MpiLayout::of(problem.ranks, [&](Rank rank) { return share(problem, rank); });
}

// What is to be sent or received in one piece. In the regular forms a count is one block, in the irregular ones displacements reach
// to the end of a buffer.
Bytes longest_count(const Problem& problem) {
  Bytes longest = problem.block_bytes;
  if (is_irregular(problem.collective))
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      longest = std::max({longest, input_bytes(problem, rank), output_bytes(problem, rank)});
  return longest;
}

// What has no root.
Result<std::unique_ptr<Executable>> among_all(const Lease& lease, const Waiter& waiter, const Problem& problem, Rank rank) {
  const int block = static_cast<int>(problem.block_bytes);
  const auto sent = [&](Rank from, Rank to) { return Traffic(problem).bytes(from, to); };
  switch (problem.collective) {
    case Collective::alltoall:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Alltoall", PMPI_Alltoall, PMPI_Ialltoall, input, block, MPI_BYTE, output, block, MPI_BYTE,
                 lease.communicator);
      });
    case Collective::alltoallv:
      return executable(waiter, [=, to = MpiLayout::of(problem.ranks, [&](Rank other) { return sent(rank, other); }),
                                 from = MpiLayout::of(problem.ranks, [&](Rank other) { return sent(other, rank); })](
                                    const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Alltoallv", PMPI_Alltoallv, PMPI_Ialltoallv, input, to.counts.data(), to.displacements.data(),
                 MPI_BYTE, output, from.counts.data(), from.displacements.data(), MPI_BYTE, lease.communicator);
      });
    case Collective::allgather:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Allgather", PMPI_Allgather, PMPI_Iallgather, input, block, MPI_BYTE, output, block, MPI_BYTE,
                 lease.communicator);
      });
    case Collective::allgatherv:
      return executable(waiter, [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](
                                    const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Allgatherv", PMPI_Allgatherv, PMPI_Iallgatherv, input, own, MPI_BYTE, output, layout.counts.data(),
                 layout.displacements.data(), MPI_BYTE, lease.communicator);
      });
    case Collective::barrier:
      return executable(waiter, [=](const std::byte*, std::byte*, MPI_Request* request) {
        call_mpi(request, "MPI_Barrier", PMPI_Barrier, PMPI_Ibarrier, lease.communicator);
      });
    default: return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  }
}

Result<std::unique_ptr<Executable>> rooted(const Lease& lease, const Waiter& waiter, const Problem& problem, Rank rank) {
  const int block = static_cast<int>(problem.block_bytes), root = static_cast<int>(problem.root);
  const bool is_root = rank == problem.root;
  switch (problem.collective) {
    case Collective::broadcast:
      // MPI has one buffer where we have two, unless the plan is in place: the root's copy is part of what is asked for.
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        if (is_root && block > 0 && output != input) std::memcpy(output, input, index(block));
        call_mpi(request, "MPI_Bcast", PMPI_Bcast, PMPI_Ibcast, output, block, MPI_BYTE, root, lease.communicator);
      });
    case Collective::scatter:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Scatter", PMPI_Scatter, PMPI_Iscatter, input, block, MPI_BYTE, output, block, MPI_BYTE, root,
                 lease.communicator);
      });
    case Collective::scatterv:
      return executable(waiter, [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](
                                    const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Scatterv", PMPI_Scatterv, PMPI_Iscatterv, input, layout.counts.data(), layout.displacements.data(),
                 MPI_BYTE, output, own, MPI_BYTE, root, lease.communicator);
      });
    case Collective::gather:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Gather", PMPI_Gather, PMPI_Igather, input, block, MPI_BYTE, output, block, MPI_BYTE, root,
                 lease.communicator);
      });
    case Collective::gatherv:
      return executable(waiter, [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](
                                    const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Gatherv", PMPI_Gatherv, PMPI_Igatherv, input, own, MPI_BYTE, output, layout.counts.data(),
                 layout.displacements.data(), MPI_BYTE, root, lease.communicator);
      });
    default: return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  }
}

}  // namespace

Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                      const Operator* operation, Rank rank) {
  if (is_reduction(problem.collective)) return vendor_reduction(lease, waiter, problem, *operation, rank);
  if (const Bytes longest = longest_count(problem); longest > INT_MAX)
    return cannot(fmt::format("MPI 3.1's counts end at {} and it needs {}", INT_MAX, longest));
  return is_rooted(problem.collective) ? rooted(lease, waiter, problem, rank) : among_all(lease, waiter, problem, rank);
}

}  // namespace quadrille
