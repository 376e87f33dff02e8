// SPDX-License-Identifier: BSD-3-Clause
// Checks that the program uses the MPI library for which this library was built. In other MPI libraries, communicators
// and types have other sizes.
#pragma once

namespace quadrille::mpi_face {

// Ends the process with a sentence and exit code 2 if the MPI library is a different one; MPI's launcher then ends the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

}  // namespace quadrille::mpi_face
