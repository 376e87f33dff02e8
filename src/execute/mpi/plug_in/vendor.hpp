// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own collectives: the vendor's candidate in every race. They have no schedule.
#pragma once

#include <memory>

#include "execute/executable.hpp"
#include "execute/mpi/plug_in/lease.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// The collective for this rank of the leased communicator, or why MPI 3.1 cannot be asked for it, which an empty lease suffices to
// find out. Reductions have an operation.
Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                      const Operator* operation, Rank rank);

// The same for reductions.
Result<std::unique_ptr<Executable>> vendor_reduction(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                     const Operator& operation, Rank rank);

}  // namespace quadrille
