// SPDX-License-Identifier: BSD-3-Clause
// What reports and recordings tell of the MPI library and of communicators. All functions are local.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

std::string library_version();  // "Open MPI v4.1.4", "MPICH 4.0.2"
std::string thread_level();     // that MPI provides: "single", "funneled", "serialized" or "multiple"

// The communicator's name. Empty if it has only the default name that Open MPI gives to every communicator.
std::string name_of(MPI_Comm communicator);

// The members' ranks in MPI_COMM_WORLD; -1 for processes of other worlds. `ranks`: how many members there are.
std::vector<Rank> world_ranks_of(MPI_Comm communicator, int ranks);

bool is_spawned();  // was this world made by MPI_Comm_spawn?

}  // namespace quadrille::mpi_face
