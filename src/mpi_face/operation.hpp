// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi_face/datatype.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::mpi_face {

// The operator of ours that does what MPI's predefined one does on these elements; null: there is none, or it is the user's own.
// Null on all ranks or on none, since they name the same operator and type. Local; the same object each time.
std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element);

}  // namespace quadrille::mpi_face
