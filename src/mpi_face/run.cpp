// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/call.hpp"
#include "mpi_face/counted.hpp"

namespace quadrille::mpi_face {

int run(const Call&, VendorCall vendor) { return vendor(); }

Counted::Counted(Function function) : function_(function), start_(0) {}
Counted::~Counted() = default;

}  // namespace quadrille::mpi_face
