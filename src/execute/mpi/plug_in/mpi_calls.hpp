// SPDX-License-Identifier: BSD-3-Clause
// MPI's C interface with errors as exceptions. The plug-in calls collectives by their profiling names (PMPI_): under MPI's own
// names the drop-in (src/mpi_face) would be called, which runs plans of ours.
#pragma once

#include <mpi.h>

#include <string>

#include "quadrille/error.hpp"

namespace quadrille {

inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorCode::transport, std::string(call) + " failed: " + text);
}

// For executions that are still open then: MPI aborts the program if it is called.
inline void check_not_finalised() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised) throw Error(ErrorCode::misuse, "MPI has been finalised; wait for requests before MPI_Finalize");
}

}  // namespace quadrille
