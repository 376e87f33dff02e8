// SPDX-License-Identifier: BSD-3-Clause
// Finds the libraries to preload into programs.
#pragma once

#include <string>
#include <string_view>

namespace quadrille::command {

// Returns the path of the library for the MPI library `mpi`. Throws Error{misuse} if it is not installed.
std::string preload_library(std::string_view mpi);

// As above, for the library that is preloaded in addition if a program is recorded.
std::string record_library(std::string_view mpi);

// Preloads libquadrille-heap into the programs that this process starts, before other preloaded libraries. `wish` is "on" or
// "always". Says once for all ranks if it will be off.
void preload_heap(const std::string& wish);

}  // namespace quadrille::command
