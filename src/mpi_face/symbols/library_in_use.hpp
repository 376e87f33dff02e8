// SPDX-License-Identifier: BSD-3-Clause
// Checks that the program uses the MPI library for which this library was built. In other MPI libraries, communicators
// and types have other sizes.
#pragma once

namespace quadrille::mpi_face {

// Ends the process with a sentence and exit code 2 if the MPI library is a different one; MPI's launcher then ends the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

// Ends the process with 2 and a sentence if a library of another MPI is loaded. Before MPI_Init, when no function of MPI's may be
// called.
[[gnu::visibility("hidden")]] void check_only_library();

}  // namespace quadrille::mpi_face
