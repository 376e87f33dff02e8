// SPDX-License-Identifier: BSD-3-Clause
// What is known of a recent call, for the next one with the same signature.
#pragma once

#include <optional>
#include <string_view>

#include "mpi_face/call_signature.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

struct RecentCall {
  CallSignature signature;
  Site* site = nullptr;  // null on a communicator of one rank, and if the MPI library always runs the call
  bool synchronises = false;
  double price_s = 0;          // of a call, equal on all ranks
  std::string_view why;        // without a site: the reason why the MPI library runs it
  std::optional<Shape> shape;  // of a call with this signature, if it was needed
};

}  // namespace quadrille::mpi_face
