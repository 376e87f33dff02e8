// SPDX-License-Identifier: BSD-3-Clause
// Finds the libraries to preload into MPI programs.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::command {

// Returns the path of the library for the MPI library `mpi`. Throws Error{misuse} if it is not installed.
std::string preload_library(std::string_view mpi);

}  // namespace quadrille::command
