// SPDX-License-Identifier: BSD-3-Clause
// Turns error codes of MPI's C interface into exceptions. The plug-in calls MPI collectives by their profiling names (PMPI_),
// because the MPI_ names may belong to the drop-in (src/mpi_face), which would call this library again.
#pragma once

#include <mpi.h>

#include <string>

#include "execute/process_events.hpp"
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

// Throws if MPI has been finalised. Open executions check this before they call MPI, because MPI aborts a program that calls it
// after MPI_Finalize.
inline void check_not_finalised() {
  if (EndOfMpi::is_over()) throw Error(ErrorCode::misuse, "MPI has been finalised; wait for requests before MPI_Finalize");
}

}  // namespace quadrille
