// SPDX-License-Identifier: BSD-3-Clause
// Making a group of ranks: threads of this process, the processes of `quadrille run`, or the ranks of an MPI library. mpi.hpp has
// the function for an MPI communicator of the program's own.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "quadrille/execute.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {

// Starts `ranks` threads, at most 1024, runs `body` in each, and joins them. If a rank throws, calls of the other ranks that wait
// for it throw Error{peer_lost}, and run_threads throws the first exception.
void run_threads(Count ranks, const std::function<void(Communicator&)>& body);

// Initialises the chosen MPI library and returns its world communicator. The library is finalised when the result and all of its
// plans have been destroyed. Throws Error{environment} if the plug-in is missing, and Error{misuse} if the chosen transport is not
// an MPI library.
std::unique_ptr<Communicator> mpi_world();

// Returns the group in which `quadrille run` started this process. Call it at most once. Throws Error{misuse} if `quadrille run`
// did not start this process.
std::unique_ptr<Communicator> shared_world();

// Returns the group in which a launcher started this process: mpi_world() or shared_world(), whichever applies.
std::unique_ptr<Communicator> launched_world();

// For programs that may be started in any way. If a launcher started this process, `body` runs once, for this process's rank in
// launched_world(). Otherwise it runs once in each of `threads` threads, as by run_threads. Throws what `body` throws.
void run_launched(Count threads, const std::function<void(Communicator&)>& body);

// Loads the plug-in for `library` and passes it an MPI communicator: a handle of `bytes` bytes. Programs use `over` of mpi.hpp.
std::unique_ptr<Communicator> over_mpi_handle(std::string_view library, const void* handle, std::size_t bytes);

}  // namespace quadrille
