// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own collectives: the vendor's candidate in every race. They have no schedule.
#pragma once

#include <mpi.h>

#include <memory>

#include "execute/executable.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// The collective for this rank of `communicator`, or why MPI 3.1 cannot be asked for it. Reductions have an operation.
Result<std::unique_ptr<Executable>> vendor_collective(MPI_Comm communicator, const Problem& problem, const Operator* operation,
                                                      Rank rank);

// The same for reductions.
Result<std::unique_ptr<Executable>> vendor_reduction(MPI_Comm communicator, const Problem& problem, const Operator& operation,
                                                     Rank rank);

}  // namespace quadrille
