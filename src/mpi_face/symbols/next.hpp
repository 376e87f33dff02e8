// SPDX-License-Identifier: BSD-3-Clause
// Finds the next library's function of a name that this library defines, too: a tool's that was preloaded after it, or the MPI
// library's.
#pragma once

#include <dlfcn.h>

namespace quadrille::mpi_face {

// `own`: the MPI library's function by its profiling name. A program that has loaded MPI privately, such as mpi4py, has no next
// one.
// Hidden: what comes next depends on the library that asks.
template <class Function>
[[gnu::visibility("hidden")]] Function* next(const char* name, Function* own) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return found ? found : own;
}

}  // namespace quadrille::mpi_face
