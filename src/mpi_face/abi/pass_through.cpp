// SPDX-License-Identifier: BSD-3-Clause
// Under the standard ABI of MPI 5 every call is the MPI library's: there is no plug-in for it, which needs more of MPI than can be
// tested here.
#include "mpi_face/call.hpp"
#include "mpi_face/passed_through.hpp"

namespace quadrille::mpi_face {

int run(const MpiCall&, VendorCall vendor) { return vendor(); }

// Nothing is counted.
PassedThrough::PassedThrough(Function function, MPI_Comm) noexcept : function_(function) {}
PassedThrough::~PassedThrough() = default;

}  // namespace quadrille::mpi_face
