// SPDX-License-Identifier: BSD-3-Clause
// The duties of a preloaded library besides passing calls on. It checks that the program uses the MPI library for which it was
// built, because communicators and types have other sizes in other MPI libraries. It notes whether a collective was called, and
// it finds the next library's functions. Hidden, because each preloaded library has its own.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "foundation/environment.hpp"
#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

// Ends the process with a sentence and exit code 2 if the program uses another MPI library; the launcher then ends the job.
[[gnu::visibility("hidden")]] void check_library_in_use();

// Ends the process with a sentence and exit code 2 if the program has loaded another MPI library besides the one for which this
// library was built, unless QUADRILLE_MPI, whose value is `asked`, names the latter. Calls no MPI function, so it can be called
// before MPI_Init.
[[gnu::visibility("hidden")]] void check_only_library(std::string_view asked);

// Has the program called a collective through this library?
[[gnu::visibility("hidden")]] extern std::atomic<bool> collective_seen;
[[gnu::visibility("hidden")]] void see_first_collective();

// Each definition of an MPI collective calls this first. It must be inlined, because it notes the return address of its caller.
[[gnu::always_inline]] inline void see_collective() {
  note_caller();
  if (!collective_seen.load(std::memory_order_relaxed)) [[unlikely]]
    see_first_collective();
}

// Finds the next definition of a function that this library defines: in a tool that was preloaded after this library, or in the
// MPI library. `own`: the MPI library's function by its profiling name, for a program that has loaded MPI privately, such as
// mpi4py.
template <class Function>
[[gnu::visibility("hidden")]] Function* next(const char* name, Function* own) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return found ? found : own;
}

// Make one before the MPI library's MPI_Init is called, and destroy it after the call. The constructor ends the process with a
// sentence if the program uses another MPI library than the one with which this library is linked. The constructor
// then calls expect_run(), the destructor begin_run().
struct Initialising {
  Initialising() {
    check_only_library(environment_value("QUADRILLE_MPI"));
    expect_run();
  }
  ~Initialising() { begin_run(); }
  Initialising(const Initialising&) = delete;
  Initialising& operator=(const Initialising&) = delete;
};

}  // namespace quadrille::mpi_face
