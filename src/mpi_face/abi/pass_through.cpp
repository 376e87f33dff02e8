// SPDX-License-Identifier: BSD-3-Clause
// The drop-in for the standard ABI of MPI 5 passes every call to the MPI library. Quadrille has no plug-in for this ABI, because
// the plug-in would need functions of MPI that cannot be tested here yet.
#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

int run(const MpiCall&, VendorCall vendor) { return vendor(); }

// Calls are not counted in this ABI.
PassedThrough::PassedThrough(Function function, const MpiCall& call) noexcept : function_(function), call_(call) {}
PassedThrough::~PassedThrough() = default;

}  // namespace quadrille::mpi_face
