// SPDX-License-Identifier: BSD-3-Clause
// Translates an operator of this library to MPI: an MPI_Op, and the MPI_Datatype of one element.
#pragma once

#include <mpi.h>

#include <memory>

#include "quadrille/operator.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

class MpiOperator {
 public:
  // Returns the MPI operator, or the reason why MPI has none.
  static Result<std::shared_ptr<const MpiOperator>> of(const Operator& operation);

  MpiOperator(const MpiOperator&) = delete;
  MpiOperator& operator=(const MpiOperator&) = delete;
  ~MpiOperator();

  MPI_Op operation() const { return operation_; }
  MPI_Datatype type() const { return type_; }

 private:
  MpiOperator(MPI_Op operation, MPI_Datatype type, bool owned) : operation_(operation), type_(type), owned_(owned) {}

  MPI_Op operation_;
  MPI_Datatype type_;
  bool owned_;
};

}  // namespace quadrille
