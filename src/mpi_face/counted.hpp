// SPDX-License-Identifier: BSD-3-Clause
// Functions that are the MPI library's own, counted and timed.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi_face/function.hpp"

namespace quadrille::mpi_face {

// Around one call: from its construction to its end. The first argument of a collective says nothing of its communicator, so these
// calls are counted by function alone.
class Counted {
 public:
  explicit Counted(Function function);
  ~Counted();
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const Function function_;
  const std::uint64_t start_;
};

}  // namespace quadrille::mpi_face
