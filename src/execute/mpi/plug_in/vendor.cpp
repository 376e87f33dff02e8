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
Result<std::unique_ptr<Executable>> among_all(const Lease& lease, const Problem& problem, Rank rank) {
  const int block = static_cast<int>(problem.block_bytes);
  const auto sent = [&](Rank from, Rank to) { return Traffic(problem).bytes(from, to); };
  switch (problem.collective) {
    case Collective::alltoall:
      return executable([=](const std::byte* input, std::byte* output) {
        check_mpi(PMPI_Alltoall(input, block, MPI_BYTE, output, block, MPI_BYTE, lease.communicator), "MPI_Alltoall");
      });
    case Collective::alltoallv:
      return executable([=, to = MpiLayout::of(problem.ranks, [&](Rank other) { return sent(rank, other); }),
                         from = MpiLayout::of(problem.ranks, [&](Rank other) { return sent(other, rank); })](const std::byte* input,
                                                                                                             std::byte* output) {
        check_mpi(PMPI_Alltoallv(input, to.counts.data(), to.displacements.data(), MPI_BYTE, output, from.counts.data(),
                                 from.displacements.data(), MPI_BYTE, lease.communicator),
                  "MPI_Alltoallv");
      });
    case Collective::allgather:
      return executable([=](const std::byte* input, std::byte* output) {
        check_mpi(PMPI_Allgather(input, block, MPI_BYTE, output, block, MPI_BYTE, lease.communicator), "MPI_Allgather");
      });
    case Collective::allgatherv:
      return executable(
          [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](const std::byte* input, std::byte* output) {
            check_mpi(PMPI_Allgatherv(input, own, MPI_BYTE, output, layout.counts.data(), layout.displacements.data(), MPI_BYTE,
                                      lease.communicator),
                      "MPI_Allgatherv");
          });
    case Collective::barrier:
      return executable([=](const std::byte*, std::byte*) { check_mpi(PMPI_Barrier(lease.communicator), "MPI_Barrier"); });
    default: return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  }
}

Result<std::unique_ptr<Executable>> rooted(const Lease& lease, const Problem& problem, Rank rank) {
  const int block = static_cast<int>(problem.block_bytes), root = static_cast<int>(problem.root);
  const bool is_root = rank == problem.root;
  switch (problem.collective) {
    case Collective::broadcast:
      // MPI has one buffer where we have two: the root's copy is part of what is asked for.
      return executable([=](const std::byte* input, std::byte* output) {
        if (is_root && block > 0) std::memcpy(output, input, index(block));
        check_mpi(PMPI_Bcast(output, block, MPI_BYTE, root, lease.communicator), "MPI_Bcast");
      });
    case Collective::scatter:
      return executable([=](const std::byte* input, std::byte* output) {
        check_mpi(PMPI_Scatter(input, block, MPI_BYTE, output, block, MPI_BYTE, root, lease.communicator), "MPI_Scatter");
      });
    case Collective::scatterv:
      return executable(
          [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](const std::byte* input, std::byte* output) {
            check_mpi(PMPI_Scatterv(input, layout.counts.data(), layout.displacements.data(), MPI_BYTE, output, own, MPI_BYTE, root,
                                    lease.communicator),
                      "MPI_Scatterv");
          });
    case Collective::gather:
      return executable([=](const std::byte* input, std::byte* output) {
        check_mpi(PMPI_Gather(input, block, MPI_BYTE, output, block, MPI_BYTE, root, lease.communicator), "MPI_Gather");
      });
    case Collective::gatherv:
      return executable(
          [=, layout = shares(problem), own = static_cast<int>(share(problem, rank))](const std::byte* input, std::byte* output) {
            check_mpi(PMPI_Gatherv(input, own, MPI_BYTE, output, layout.counts.data(), layout.displacements.data(), MPI_BYTE, root,
                                   lease.communicator),
                      "MPI_Gatherv");
          });
    default: return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  }
}

}  // namespace

Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Problem& problem, const Operator* operation,
                                                      Rank rank) {
  if (is_reduction(problem.collective)) return vendor_reduction(lease, problem, *operation, rank);
  if (const Bytes longest = longest_count(problem); longest > INT_MAX)
    return cannot(fmt::format("MPI 3.1's counts end at {} and it needs {}", INT_MAX, longest));
  return is_rooted(problem.collective) ? rooted(lease, problem, rank) : among_all(lease, problem, rank);
}

}  // namespace quadrille
