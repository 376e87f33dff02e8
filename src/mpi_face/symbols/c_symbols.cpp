// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI's C functions, for preloading. Functions that the MPI library does not declare are left out.
#include "mpi_face/call.hpp"
#include "mpi_face/symbols/preloaded.hpp"
#include "mpi_face/symbols/signature.hpp"
#include "quadrille/mpi_collectives.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

using namespace quadrille::mpi_face;

// Defines a function that the MPI library always runs. Its last argument is the address of the request that it makes. `prefix` is
// MPI_ or MPIX_.
#define QUADRILLE_PASSED(prefix, symbol, function, arguments)                                   \
  int prefix##symbol(PARAMETERS(prefix##symbol, arguments)) {                                   \
    see_collective();                                                                           \
    constexpr std::size_t used = arguments - arguments_behind(Function::function);              \
    const auto all = std::tie(ARGUMENTS(arguments));                                            \
    const auto read = [](auto... each) { return call_of_passed<Function::function>(each...); }; \
    PassedThrough counted(Function::function, with_first<used>(read, all));                     \
    const int code = P##prefix##symbol(ARGUMENTS(arguments));                                   \
    if (code == MPI_SUCCESS) counted.made(*std::get<arguments - 1>(all));                       \
    return code;                                                                                \
  }

extern "C" {

#define OURS(name, fortran, capitals, arguments)      \
  int MPI_##name(PARAMETERS(MPI_##name, arguments)) { \
    see_collective();                                 \
    return quadrille_##fortran(ARGUMENTS(arguments)); \
  }
#define PASSED(name, fortran, capitals, arguments) QUADRILLE_PASSED(MPI_, name, name, arguments)
#if MPI_VERSION >= 4
#define OURS_LARGE(name, fortran, arguments)                  \
  int MPI_##name##_c(PARAMETERS(MPI_##name##_c, arguments)) { \
    see_collective();                                         \
    return quadrille_##fortran##_c(ARGUMENTS(arguments));     \
  }
#define PASSED_LARGE(name, arguments) \
  MAY_BE_ABSENT(PMPI_##name##_c)      \
  QUADRILLE_PASSED(MPI_, name##_c, name, arguments)
#endif
#if MPI_VERSION >= 4 || (defined OPEN_MPI && OMPI_MAJOR_VERSION >= 5)
#define PASSED_MPI4(name, fortran, capitals, arguments) \
  MAY_BE_ABSENT(PMPI_##name)                            \
  QUADRILLE_PASSED(MPI_, name, name, arguments)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ  // Open MPI 4 declares them with the prefix MPIX_
#define PASSED_MPI4(name, fortran, capitals, arguments) QUADRILLE_PASSED(MPIX_, name, name, arguments)
#endif
#include "mpi_face/symbols/functions.def"
}
