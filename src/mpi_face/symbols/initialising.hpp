// SPDX-License-Identifier: BSD-3-Clause
// What happens before and after the MPI library's MPI_Init.
#pragma once

#include "foundation/environment.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/symbols/library_in_use.hpp"

namespace quadrille::mpi_face {

// Make one before the MPI library's MPI_Init is called; it is destroyed after the call. The constructor ends the process with a
// sentence if the program uses another MPI library than the one that this library is linked with. The destructor calls begin_run().
struct Initialising {
  Initialising() { check_only_library(environment_value("QUADRILLE_MPI")); }
  ~Initialising() { begin_run(); }
  Initialising(const Initialising&) = delete;
  Initialising& operator=(const Initialising&) = delete;
};

}  // namespace quadrille::mpi_face
