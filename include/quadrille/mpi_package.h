/* SPDX-License-Identifier: BSD-3-Clause
   Included by mpi_c.h and mpi_collectives.h. A program that includes them refers to quadrille_package_<id>, where the id is that of
   the library of its <mpi.h> in mpi_libraries.def. Only libquadrille-<id> has this symbol, so that a program does not link with the
   package of another MPI library, with which it would crash. */
#pragma once

#include <mpi.h>

#ifdef __GNUC__
#ifdef __cplusplus
extern "C" {
#endif

#define QUADRILLE_MPI_ROW(library, macros, ...) extern const char quadrille_package_##library;
#include "quadrille/mpi_libraries.def"

enum {
#define QUADRILLE_MPI_ROW(library, macros, ...) quadrille_package_number_##library,
#include "quadrille/mpi_libraries.def"
};

/* A bit for each row whose macros <mpi.h> defines: a defined macro expands to another text than its name. The last row counts. */
enum {
  quadrille_packages_claimed = 0
#define QUADRILLE_MPI_TEXT(...) #__VA_ARGS__
#define QUADRILLE_MPI_ROW(library, macros, ...) \
  +((sizeof(#macros) != sizeof(QUADRILLE_MPI_TEXT(macros))) << quadrille_package_number_##library)
#include "quadrille/mpi_libraries.def"
#undef QUADRILLE_MPI_TEXT
};

static const char* const quadrille_package[] __attribute__((used)) = {
#define QUADRILLE_MPI_ROW(library, macros, ...) \
  (quadrille_packages_claimed >> quadrille_package_number_##library) == 1 ? &quadrille_package_##library : 0,
#include "quadrille/mpi_libraries.def"
};

#ifdef __cplusplus
}
#endif
#endif
