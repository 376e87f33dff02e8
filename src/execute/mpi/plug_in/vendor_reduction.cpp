// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/mpi_operator.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/mpi/plug_in/vendor_executable.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

Result<std::unique_ptr<Executable>> vendor_reduction(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                     const Operator& operation, Rank rank) {
  const auto found = MpiOperator::of(operation);
  if (!found) return cannot(found.error());
  const auto mine = *found;
  if (problem.reproducible) return cannot("MPI does not say along which tree it combines");
  const Count elements = std::max(input_bytes(problem, 0), output_bytes(problem, 0)) / problem.element_bytes;
  if (elements > INT_MAX) return cannot(fmt::format("MPI 3.1's counts end at {} and it needs {}", INT_MAX, elements));
  const int count = static_cast<int>(problem.block_bytes / problem.element_bytes), root = static_cast<int>(problem.root);
  switch (problem.collective) {
    case Collective::reduce:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Reduce", PMPI_Reduce, PMPI_Ireduce, input, output, count, mine->type(), mine->operation(), root,
                 lease.communicator);
      });
    case Collective::allreduce:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Allreduce", PMPI_Allreduce, PMPI_Iallreduce, input, output, count, mine->type(), mine->operation(),
                 lease.communicator);
      });
    case Collective::reduce_scatter:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, input, output, count,
                 mine->type(), mine->operation(), lease.communicator);
      });
    case Collective::reduce_scatterv: {
      std::vector<int> counts;
      for (const Bytes share : *problem.counts) counts.push_back(static_cast<int>(share / problem.element_bytes));
      return executable(waiter, [=, counts = std::move(counts)](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Reduce_scatter", PMPI_Reduce_scatter, PMPI_Ireduce_scatter, input, output, counts.data(),
                 mine->type(), mine->operation(), lease.communicator);
      });
    }
    case Collective::scan:
      return executable(waiter, [=](const std::byte* input, std::byte* output, MPI_Request* request) {
        call_mpi(request, "MPI_Scan", PMPI_Scan, PMPI_Iscan, input, output, count, mine->type(), mine->operation(),
                 lease.communicator);
      });
    case Collective::exscan:
      // Rank 0 gets nothing, but MPI leaves it open what becomes of its buffer, and MPICH refuses to do without one.
      return executable(waiter, [=, spare = std::vector<std::byte>(rank == 0 ? index(problem.block_bytes + 1) : 0)](
                                    const std::byte* input, std::byte* output, MPI_Request* request) mutable {
        if (rank == 0) output = spare.data();
        call_mpi(request, "MPI_Exscan", PMPI_Exscan, PMPI_Iexscan, input, output, count, mine->type(), mine->operation(),
                 lease.communicator);
      });
    default: return cannot(fmt::format("{} is no reduction", name(problem.collective)));
  }
}

}  // namespace quadrille
