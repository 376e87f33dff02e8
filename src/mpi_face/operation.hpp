// SPDX-License-Identifier: BSD-3-Clause
// Finds our operator that corresponds to one of MPI's predefined operators.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi_face/datatype.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::mpi_face {

// Returns our operator that corresponds to MPI's predefined one on these elements; null if there is none or the operator is the
// user's own. All ranks name the same operator and type, so all of them get an operator or all get null. Local. Repeated calls
// return the same object.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element);

}  // namespace quadrille::mpi_face
