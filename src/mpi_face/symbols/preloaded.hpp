// SPDX-License-Identifier: BSD-3-Clause
// What a preloaded library does besides passing calls on: checks that the program uses the MPI library for which this library was
// built (in others, communicators and types have other sizes), notes whether a collective was called, and finds the next library's
// functions. Hidden, because each preloaded library has its own.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "foundation/environment.hpp"
#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

// Ends the process with a sentence and exit code 2 if the MPI library is a different one; MPI's launcher then ends the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

// If the program has loaded another MPI library than the one that this library is for, prints a sentence and ends the process with
// exit code 2, unless the user has asked for this one (`asked` is the value of QUADRILLE_MPI). It calls no MPI function, so it can
// be called before MPI_Init.
[[gnu::visibility("hidden")]] void check_only_library(std::string_view asked);

// Has the program called a collective through this library?
[[gnu::visibility("hidden")]] extern std::atomic<bool> collective_seen;
[[gnu::visibility("hidden")]] void see_first_collective();

inline void see_collective() {
  if (!collective_seen.load(std::memory_order_relaxed)) [[unlikely]]
    see_first_collective();
}

// Finds the next library's function of a name that this library defines, too: a tool's that was preloaded after it, or the MPI
// library's. `own`: the MPI library's function by its profiling name, for a program that has loaded MPI privately, such as mpi4py.
template <class Function>
[[gnu::visibility("hidden")]] Function* next(const char* name, Function* own) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return found ? found : own;
}

// Make one before the MPI library's MPI_Init is called; it is destroyed after the call. The constructor ends the process with a
// sentence if the program uses another MPI library than the one that this library is linked with. The destructor calls begin_run().
struct Initialising {
  Initialising() { check_only_library(environment_value("QUADRILLE_MPI")); }
  ~Initialising() { begin_run(); }
  Initialising(const Initialising&) = delete;
  Initialising& operator=(const Initialising&) = delete;
};

}  // namespace quadrille::mpi_face
