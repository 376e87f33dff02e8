// SPDX-License-Identifier: BSD-3-Clause
// What happens before and after the MPI library's MPI_Init.
#pragma once

#include "foundation/environment.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/symbols/library_in_use.hpp"

namespace quadrille::mpi_face {

// Lives while the MPI library's function runs. A program of another MPI library ends with a sentence, because its calls would reach
// the library that this one is linked with.
struct Initialising {
  Initialising() { check_only_library(environment_value("QUADRILLE_MPI")); }
  ~Initialising() { begin_run(); }
  Initialising(const Initialising&) = delete;
  Initialising& operator=(const Initialising&) = delete;
};

}  // namespace quadrille::mpi_face
