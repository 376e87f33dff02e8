// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own collectives, called `vendor` here. They are a candidate in every race, and have no schedule.
#pragma once

#include <memory>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/transport.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// Returns the collective for this rank of the leased communicator, or the reason why MPI 3.1 cannot execute it. For the reason
// alone, an empty lease suffices. `operation` must not be null in a reduction.
Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                      const Operator* operation, Rank rank);

}  // namespace quadrille
