// SPDX-License-Identifier: BSD-3-Clause
// Can an operator of MPI combine elements of a datatype? MPI itself is asked, by calls that fail if it cannot.
#pragma once

#include <mpi.h>

namespace quadrille::mpi_face {

// Throws Error{misuse} if `type` is not committed, if `operation` is one of MPI_REPLACE and MPI_NO_OP, which are for one-sided
// communication only, or if it is predefined and does not exist for `type`. During the call errors on MPI_COMM_WORLD and
// MPI_COMM_SELF are returned instead of handled.
void check_operands(MPI_Op operation, MPI_Datatype type);

}  // namespace quadrille::mpi_face
