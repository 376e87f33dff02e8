// SPDX-License-Identifier: BSD-3-Clause
// Checks that the program uses the MPI library for which this library was built. In other MPI libraries, communicators
// and types have other sizes.
#pragma once

#include <string_view>

namespace quadrille::mpi_face {

// Ends the process with a sentence and exit code 2 if the MPI library is a different one; MPI's launcher then ends the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

// If the program has loaded another MPI library than the one that this library is for, prints a sentence and ends the process with
// exit code 2, unless the user has asked for this one (`asked` is the value of QUADRILLE_MPI). It calls no MPI function, so it can
// be called before MPI_Init.
[[gnu::visibility("hidden")]] void check_only_library(std::string_view asked);

}  // namespace quadrille::mpi_face
