// SPDX-License-Identifier: BSD-3-Clause
// The table of MPI's collective functions, which says how the plug-in calls each of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "execute/mpi/plug_in/lease.hpp"
#include "execute/mpi/plug_in/mpi_operator.hpp"
#include "quadrille/operator.hpp"

namespace quadrille {

// Counts and displacements of consecutive blocks, in elements.
struct ConsecutiveBlocks {
  std::vector<int> counts, displacements;
};

// The arguments of MPI's functions for one rank of one problem. Elements are bytes, or in a reduction those of the operator.
struct VendorArguments {
  VendorArguments(const Lease& given_lease, const Problem& problem, std::shared_ptr<const MpiOperator> given_operation, Rank rank);

  Lease lease;
  std::shared_ptr<const MpiOperator> reduction;  // null unless the collective is a reduction
  MPI_Comm communicator;
  MPI_Datatype type;
  MPI_Op operation;
  int rank, root;
  int block = 0;                     // elements of a block, if all blocks have one size (SizeSource::blocks)
  int own = 0;                       // elements of this rank's share, if each rank has one (SizeSource::shares)
  ConsecutiveBlocks shares;          // the shares of all ranks
  ConsecutiveBlocks sent, received;  // by peer, if each pair of ranks has a count (SizeSource::pairs)
  std::vector<std::byte> spare;      // a buffer to pass to MPI if this rank has no output; else empty
};

// Calls the blocking MPI function if `request` is null, else the nonblocking one.
using VendorFunction = void (*)(VendorArguments&, const std::byte* input, std::byte* output, MPI_Request* request);

// Returns null if the table has no such collective.
VendorFunction vendor_function(Collective collective);

}  // namespace quadrille
