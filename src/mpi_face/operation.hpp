// SPDX-License-Identifier: BSD-3-Clause
// Finds an operator for one of MPI's predefined operators: ours or, for types that our operators do not have, one that calls
// MPI_Reduce_local. To learn whether MPI can combine elements of a datatype, it lets MPI combine one element.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi_face/datatype.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::mpi_face {

// Throws Error{misuse} if `type` is not committed, if `operation` is MPI_REPLACE or MPI_NO_OP, which are for one-sided
// communication only, or if `operation` is predefined but does not exist for `type`. During this function errors on
// MPI_COMM_WORLD and MPI_COMM_SELF are returned: no error handler of the program runs.
void check_operands(MPI_Op operation, MPI_Datatype type);

// Returns null if MPI does not define the operator for these elements, or if the operator or the type is user-defined. All ranks
// name the same operator and type, so all of them get an operator, or all get null. Local. Repeated calls return the same object.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, MPI_Datatype type, const TypeFacts& facts);

// As above, for our own operators only.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element);

}  // namespace quadrille::mpi_face
