// SPDX-License-Identifier: BSD-3-Clause
// Quadrille over the MPI library of the including program. Include after or instead of <mpi.h>; Open MPI and MPICH (and
// libraries of their ABIs) are recognised by their headers.
//
//   MPI_Init(&argc, &argv);
//   auto communicator = quadrille::over(MPI_COMM_WORLD);
//   quadrille::Plan plan = quadrille::plan(*communicator, quadrille::alltoall(communicator->size(), 8));
#pragma once

#include <mpi.h>

#include <memory>
#include <string_view>

#include "quadrille/execute.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {

#if defined(OPEN_MPI)
inline constexpr std::string_view mpi_library = "openmpi";
#elif defined(MPICH) || defined(MPICH_VERSION)
inline constexpr std::string_view mpi_library = "mpich";
#else
#error "quadrille has a plug-in for Open MPI and one for MPICH; this <mpi.h> is neither's"
#endif

// Collective over `communicator`, of which it makes a private duplicate; MPI must be initialised. Destroy the result
// before MPI_Finalize. Throws Error{environment} if the plug-in for this MPI was not installed.
inline std::unique_ptr<Communicator> over(MPI_Comm communicator) {
  return over_mpi_handle(mpi_library, &communicator, sizeof communicator);
}

}  // namespace quadrille
