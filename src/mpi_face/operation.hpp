// SPDX-License-Identifier: BSD-3-Clause
// Finds an operator that corresponds to one of MPI's predefined operators: ours or, for types that ours do not have, one that
// combines elements by MPI_Reduce_local. To learn whether an operator can combine elements of a datatype, it makes calls of MPI
// that fail if not.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi_face/datatype.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::mpi_face {

// Throws Error{misuse} if `type` is not committed, if `operation` is one of MPI_REPLACE and MPI_NO_OP, which are for one-sided
// communication only, or if it is predefined and does not exist for `type`. During the call errors on MPI_COMM_WORLD and
// MPI_COMM_SELF are returned instead of handled.
void check_operands(MPI_Op operation, MPI_Datatype type);

// Returns null if MPI does not define the operator for these elements, or if the operator or the type is the user's own. All ranks
// name the same operator and type, so all of them get an operator or all get null. Local. Repeated calls return the same object.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, MPI_Datatype type, const TypeFacts& facts);

// The same for operators of ours alone.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element);

}  // namespace quadrille::mpi_face
