// SPDX-License-Identifier: BSD-3-Clause
// The entry points quadrille_barrier ... quadrille_alltoallw, for counts of type int and of type MPI_Count.
#include "mpi_face/call.hpp"
#include "mpi_face/symbols/signature.hpp"
#include "quadrille/mpi_collectives.h"

using namespace quadrille::mpi_face;

#define QUADRILLE_ENTRY(name, fortran, suffix, arguments)                                    \
  [[gnu::hot]] int quadrille_##fortran##suffix(PARAMETERS(PMPI_##name##suffix, arguments)) { \
    auto vendor = [&] { return PMPI_##name##suffix(ARGUMENTS(arguments)); };                 \
    return run(call_of(Of<Function::name>(), ARGUMENTS(arguments)), vendor);                 \
  }

extern "C" {

#define OURS(name, fortran, capitals, arguments) QUADRILLE_ENTRY(name, fortran, , arguments)
#if MPI_VERSION >= 4
#define OURS_LARGE(name, fortran, arguments) \
  MAY_BE_ABSENT(PMPI_##name##_c)             \
  QUADRILLE_ENTRY(name, fortran, _c, arguments)
#endif
#include "mpi_face/symbols/functions.def"
}
