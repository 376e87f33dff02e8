// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI_Init and MPI_Init_thread.
#include <dlfcn.h>
#include <mpi.h>

#include "mpi_face/symbols/initialising.hpp"

namespace {

// The function of the next library: a tool that was preloaded, too, or the MPI library. A program that has loaded MPI privately,
// such as mpi4py, has no next one.
template <class Function>
Function* next(const char* name, Function* own) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return found ? found : own;
}

}  // namespace

using quadrille::mpi_face::Initialising;

extern "C" {

int MPI_Init(int* count, char*** arguments) {
  const Initialising initialising;
  return next("MPI_Init", PMPI_Init)(count, arguments);
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const Initialising initialising;
  return next("MPI_Init_thread", PMPI_Init_thread)(count, arguments, required, provided);
}
}
