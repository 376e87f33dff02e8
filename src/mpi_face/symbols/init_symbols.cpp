// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI_Init and MPI_Init_thread.
#include <mpi.h>

#include "mpi_face/symbols/preloaded.hpp"

using namespace quadrille::mpi_face;

extern "C" {

int MPI_Init(int* count, char*** arguments) {
  const Initialising initialising;
  return next("MPI_Init", PMPI_Init)(count, arguments);
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const Initialising initialising;
  return next("MPI_Init_thread", PMPI_Init_thread)(count, arguments, required, provided);
}
}
