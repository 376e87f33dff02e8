// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/vendor_calls.hpp"

#include <climits>
#include <cstring>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "foundation/assert.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

using Arguments = VendorArguments;

// Calls the blocking form of an MPI function if `request` is null, else the nonblocking form.
template <class Blocking, class Nonblocking, class... Types>
void call_mpi(MPI_Request* request, const char* name, Blocking blocking, Nonblocking nonblocking, Types... arguments) {
  check_mpi(request ? nonblocking(arguments..., request) : blocking(arguments...), name);
}

struct VendorRow {
  Collective collective;
  VendorFunction function;
};

constexpr VendorRow table[] = {
    {Collective::alltoall,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Alltoall", PMPI_Alltoall, PMPI_Ialltoall, input, a.block, a.type, output, a.block, a.type,
                a.communicator);
     }},
    {Collective::alltoallv,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Alltoallv", PMPI_Alltoallv, PMPI_Ialltoallv, input, a.sent.counts.data(), a.sent.displacements.data(),
                a.type, output, a.received.counts.data(), a.received.displacements.data(), a.type, a.communicator);
     }},
    {Collective::allgather,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allgather", PMPI_Allgather, PMPI_Iallgather, input, a.block, a.type, output, a.block, a.type,
                a.communicator);
     }},
    {Collective::allgatherv,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allgatherv", PMPI_Allgatherv, PMPI_Iallgatherv, input, a.own, a.type, output, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, a.communicator);
     }},
    {Collective::broadcast,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       // MPI_Bcast has one buffer. Unless the plan is in place, the root's output must be filled, too, so the
       // root's input is copied here.
       if (a.rank == a.root && a.block > 0 && output != input) std::memcpy(output, input, index(a.block));
       call_mpi(request, "MPI_Bcast", PMPI_Bcast, PMPI_Ibcast, output, a.block, a.type, a.root, a.communicator);
     }},
    {Collective::reduce,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce", PMPI_Reduce, PMPI_Ireduce, input, output, a.block, a.type, a.operation, a.root,
                a.communicator);
     }},
    {Collective::allreduce,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allreduce", PMPI_Allreduce, PMPI_Iallreduce, input, output, a.block, a.type, a.operation,
                a.communicator);
     }},
    {Collective::reduce_scatter,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, input, output, a.block,
                a.type, a.operation, a.communicator);
     }},
    {Collective::reduce_scatterv,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce_scatter", PMPI_Reduce_scatter, PMPI_Ireduce_scatter, input, output, a.shares.counts.data(),
                a.type, a.operation, a.communicator);
     }},
    {Collective::scan,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scan", PMPI_Scan, PMPI_Iscan, input, output, a.block, a.type, a.operation, a.communicator);
     }},
    {Collective::exscan,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       // MPI leaves undefined what it writes at rank 0, and MPICH refuses a call without a buffer there.
       if (!a.spare.empty()) output = a.spare.data();
       call_mpi(request, "MPI_Exscan", PMPI_Exscan, PMPI_Iexscan, input, output, a.block, a.type, a.operation, a.communicator);
     }},
    {Collective::scatter,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scatter", PMPI_Scatter, PMPI_Iscatter, input, a.block, a.type, output, a.block, a.type, a.root,
                a.communicator);
     }},
    {Collective::scatterv,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scatterv", PMPI_Scatterv, PMPI_Iscatterv, input, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, output, a.own, a.type, a.root, a.communicator);
     }},
    {Collective::gather,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Gather", PMPI_Gather, PMPI_Igather, input, a.block, a.type, output, a.block, a.type, a.root,
                a.communicator);
     }},
    {Collective::gatherv,
     [](Arguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Gatherv", PMPI_Gatherv, PMPI_Igatherv, input, a.own, a.type, output, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, a.root, a.communicator);
     }},
    {Collective::barrier,
     [](Arguments& a, const std::byte*, std::byte*, MPI_Request* request) {
       call_mpi(request, "MPI_Barrier", PMPI_Barrier, PMPI_Ibarrier, a.communicator);
     }},
};

template <class CountOf>
ConsecutiveBlocks consecutive(Count ranks, CountOf&& count_of) {
  ConsecutiveBlocks blocks;
  Count at = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Count count = count_of(rank);
    QUADRILLE_ASSERT(count >= 0 && count <= INT_MAX && at <= INT_MAX);  // vendor_collective refuses longer ones
    blocks.counts.push_back(static_cast<int>(count));
    blocks.displacements.push_back(static_cast<int>(at));
    at += count;
  }
  return blocks;
}

}  // namespace

VendorArguments::VendorArguments(const Lease& given_lease, const Problem& problem,
                                 std::shared_ptr<const MpiOperator> given_operation, Rank given_rank)
    : lease(given_lease),
      reduction(std::move(given_operation)),
      communicator(lease.communicator),
      type(reduction ? reduction->type() : MPI_BYTE),
      operation(reduction ? reduction->operation() : MPI_OP_NULL),
      rank(static_cast<int>(given_rank)),
      root(static_cast<int>(problem.root)) {
  const Bytes element = reduction ? problem.element_bytes : 1;
  QUADRILLE_ASSERT(problem.block_bytes % element == 0 && problem.block_bytes / element <= INT_MAX);
  QUADRILLE_ASSERT(given_rank >= 0 && given_rank < problem.ranks && problem.root < problem.ranks);
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (facts.sizes == SizeSource::blocks) block = static_cast<int>(problem.block_bytes / element);
  if (facts.sizes == SizeSource::shares) {
    shares = consecutive(problem.ranks, [&](Rank other) { return share_bytes(problem, other) / element; });
    own = shares.counts[index(given_rank)];
  }
  if (facts.sizes == SizeSource::pairs) {
    const Traffic traffic(problem);
    sent = consecutive(problem.ranks, [&](Rank other) { return traffic.bytes(given_rank, other); });
    received = consecutive(problem.ranks, [&](Rank other) { return traffic.bytes(other, given_rank); });
  }
  if (facts.output.holder == Holder::all_but_first && given_rank == 0) spare.resize(index(problem.block_bytes + 1));
}

VendorFunction vendor_function(Collective collective) {
  for (const VendorRow& row : table)
    if (row.collective == collective) return row.function;
  return nullptr;
}

}  // namespace quadrille
