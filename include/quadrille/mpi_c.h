/* SPDX-License-Identifier: BSD-3-Clause
   The functions of the C interface (quadrille/c.h) that take handles of MPI. A program that calls them links with
   libquadrille-<id>, where the id is that of its MPI library in mpi_libraries.def:

     mpicc app.c $(pkg-config --cflags --libs quadrille-<id>) */
#pragma once

#include <mpi.h>

#include "quadrille/c.h"
#include "quadrille/mpi_package.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, unless the communicator is known from an earlier call. Between MPI_Init and MPI_Finalize. */
int quadrille_over(MPI_Comm communicator, quadrille_group* ranks);

/* The same for a communicator of Fortran: an INTEGER, MPI_Comm_c2f(communicator), or the MPI_VAL of a type(MPI_Comm). */
int quadrille_over_fortran(MPI_Fint communicator, quadrille_group* ranks);

/* A predefined operator of MPI, or one made by MPI_Op_create, on elements of `type`. MPI must define the operator for this type,
   which must be committed. Both must live as long as plans use the operator. An element takes the extent of `type`. */
int quadrille_operator_of_mpi(MPI_Op operation, MPI_Datatype type, quadrille_operator* made);

#ifdef __cplusplus
}
#endif
