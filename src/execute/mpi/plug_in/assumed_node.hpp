// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// The user may set QUADRILLE_NODE_SIZES, to try out on one machine how several nodes would behave. Then this returns the first rank
// of this rank's assumed node; ranks count in MPI_COMM_WORLD, or in `users` if there are only sessions. Otherwise it returns -1.
Rank first_rank_of_assumed_node(MPI_Comm users);

}  // namespace quadrille
