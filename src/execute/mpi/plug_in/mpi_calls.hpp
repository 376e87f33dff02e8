// SPDX-License-Identifier: BSD-3-Clause
// MPI's C interface with errors as exceptions.
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

}  // namespace quadrille
