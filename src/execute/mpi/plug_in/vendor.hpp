// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own collectives: the vendor's candidate in every race. They have no schedule.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "quadrille/execute.hpp"

namespace quadrille {

// Null with the reason if MPI 3.1 cannot be asked for this problem. Use only on this rank of `communicator`.
std::unique_ptr<Executable> vendor_collective(MPI_Comm communicator, const Problem& problem, Rank rank, std::string& reason);

// The same for reductions.
std::unique_ptr<Executable> vendor_reduction(MPI_Comm communicator, const Problem& problem, const Operator& operation, Rank rank,
                                             std::string& reason);

}  // namespace quadrille
