// SPDX-License-Identifier: BSD-3-Clause
// Under the standard ABI of MPI 5 every call is the MPI library's: there is no plug-in for it, which needs more of MPI than can be
// tested here.
#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

int run(const MpiCall&, VendorCall vendor) { return vendor(); }

}  // namespace quadrille::mpi_face
