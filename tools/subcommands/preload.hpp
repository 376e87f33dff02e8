// SPDX-License-Identifier: BSD-3-Clause
// Finds the libraries to preload into MPI programs.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::command {

// Returns the path of the library for the MPI library `mpi`. Throws Error{misuse} if it is not installed.
std::string preload_library(std::string_view mpi);

// As above, for the library that is preloaded in addition if a program is recorded.
std::string record_library(std::string_view mpi);

}  // namespace quadrille::command
