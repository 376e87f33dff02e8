// SPDX-License-Identifier: BSD-3-Clause
// Defines MPI_Init and MPI_Init_thread, only to end a program of another MPI library with a sentence: its calls would reach the
// library that this one is linked with. Nothing else depends on seeing these calls.
#include <dlfcn.h>
#include <mpi.h>

#include "foundation/environment.hpp"
#include "mpi_face/symbols/library_in_use.hpp"

namespace {

// The function of the next library: a tool that was preloaded, too, or the MPI library. A program that has loaded MPI privately,
// such as mpi4py, has no next one.
template <class Function>
Function* next(const char* name, Function* own) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return found ? found : own;
}

}  // namespace

using namespace quadrille;
using namespace quadrille::mpi_face;

extern "C" {

int MPI_Init(int* count, char*** arguments) {
  check_only_library(environment_value("QUADRILLE_MPI"));
  return next("MPI_Init", PMPI_Init)(count, arguments);
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  check_only_library(environment_value("QUADRILLE_MPI"));
  return next("MPI_Init_thread", PMPI_Init_thread)(count, arguments, required, provided);
}
}
