// SPDX-License-Identifier: BSD-3-Clause
// Which ways of moving data this machine offers, and which one a process was started for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/execute.hpp"

namespace quadrille {

struct PlugIn {
  std::string mpi;   // "openmpi", "mpich"
  std::string path;  // where it is, or would be
  bool installed = false;
};

std::vector<PlugIn> plug_ins();

// What connects the ranks of a process: threads, `quadrille run`'s shared memory, or an MPI library.
enum class TransportKind : std::uint8_t { threads, shared, openmpi, mpich };

std::string_view name(TransportKind kind);  // as Communicator::transport_name

// What the environment asks for: QUADRILLE_MPI (openmpi, mpich or none), else `quadrille run` (QUADRILLE_HEAD), else Open MPI's
// launcher (OMPI_COMM_WORLD_SIZE), else a launcher of the PMI kind (PMI_SIZE: MPICH), else threads.
struct TransportChoice {
  TransportKind transport = TransportKind::threads;
  std::string reason;  // one sentence

  bool is_mpi() const { return transport == TransportKind::openmpi || transport == TransportKind::mpich; }
};

// Throws Error{misuse} for an unknown QUADRILLE_MPI or a launcher that could be either.
TransportChoice choose_transport();

// Initialises the chosen MPI library and returns its world; the library is finalised when the result and its plans are destroyed.
// Throws Error{environment} if its plug-in is missing, Error{misuse} if the choice is none of MPI's.
std::unique_ptr<Communicator> mpi_world();

// The group that `quadrille run` started this process in; at most once. Throws Error{misuse} if it did not.
std::unique_ptr<Communicator> shared_world();

// The group that this process was launched in, by whichever of these two.
std::unique_ptr<Communicator> launched_world();

// For programs that are started in any way: `body` runs once for the rank that this process was launched as, in launched_world(),
// or, if nothing has launched it, for each of `threads` threads, as run_threads does. Throws what `body` throws.
void run_launched(Count threads, const std::function<void(Communicator&)>& body);

// Starts `ranks` processes of this command, which share memory, and waits for them: 0, or 128 + N if signal N ended one of them,
// else the exit code of the first that failed; the others are ended then. The ranks and what they start are one process group in a
// session of their own. SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless this process ignores them, are passed on to the group; what is
// left of it 10 s later is killed. If this process is killed, so is the group. Not for programs with several threads. Throws
// Error{misuse} if the command cannot be run, Error{environment} if the machine does not give what it takes.
int run_ranks(Count ranks, const std::vector<std::string>& command);

// Loads the plug-in for `library` and hands it an MPI communicator, a handle of `bytes` bytes. Use `over` of mpi.hpp.
std::unique_ptr<Communicator> over_mpi_handle(std::string_view library, const void* handle, std::size_t bytes);

// The shared library of that MPI. Throws Error{environment} if its plug-in cannot be loaded.
std::string mpi_library_file(std::string_view library);

// "Open MPI v4.1.4, ..." as the library itself says, or why it cannot be loaded.
std::string mpi_version(const PlugIn& plug_in);

}  // namespace quadrille
