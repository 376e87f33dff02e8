// SPDX-License-Identifier: BSD-3-Clause
// MPI's C functions, for preloading.
#include "mpi_face/counted.hpp"
#include "mpi_face/signature.hpp"
#include "quadrille/mpi_collectives.h"

using quadrille::mpi_face::Function;

extern "C" {

#define OURS(name, fortran, arguments) \
  int MPI_##name(PARAMETERS(MPI_##name, arguments)) { return quadrille_##fortran(ARGUMENTS(arguments)); }
#define COUNTED(name, fortran, arguments)                       \
  int MPI_##name(PARAMETERS(MPI_##name, arguments)) {           \
    const quadrille::mpi_face::Counted counted(Function::name); \
    return PMPI_##name(ARGUMENTS(arguments));                   \
  }
#include "mpi_face/functions.def"
}
