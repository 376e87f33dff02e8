// SPDX-License-Identifier: BSD-3-Clause
// The transports that this machine offers, and the one that a process was started for. groups.hpp makes groups of ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct PlugIn {
  std::string mpi;   // "openmpi", "mpich"
  std::string path;  // path of the plug-in, or where it would be installed
  bool installed = false;
};

std::vector<PlugIn> plug_ins();

// How the ranks connect: threads of one process, the shared memory of `quadrille run`, or an MPI library, openmpi or mpich.
enum class TransportKind : std::uint8_t {
  threads,
  shared,
#define QUADRILLE_MPI_ROW(library, macros, ...) library,
#include "quadrille/mpi_libraries.def"
};

std::string_view name(TransportKind kind);  // the same word as Communicator::transport_name

// The transport that the environment asks for. The first of these that is set decides: QUADRILLE_MPI (openmpi, mpich or none),
// QUADRILLE_HEAD (set by `quadrille run`), OMPI_COMM_WORLD_SIZE (set by Open MPI's launcher), PMI_SIZE (set by launchers that speak
// PMI, the process management interface: MPICH). Otherwise threads.
struct TransportChoice {
  TransportKind transport = TransportKind::threads;
  std::string reason;  // one sentence

  bool is_mpi() const { return transport != TransportKind::threads && transport != TransportKind::shared; }
};

// Throws Error{misuse} for an unknown QUADRILLE_MPI, or if the launcher could belong to several MPI libraries.
TransportChoice choose_transport();

// Starts `ranks` processes of this command and waits for them. The processes share memory. Returns 0 if all succeeded, 128 + N if
// signal N ended one of them, otherwise the exit code of the first process that failed. If a signal ends a rank, the other ranks
// get SIGTERM at once. If a rank exits with a code other than 0, the other ranks get SIGTERM 10 s later. Ranks that still run 1 s
// after SIGTERM get SIGKILL. The ranks and their children form one process group in a separate session. This process passes
// SIGINT, SIGTERM, SIGHUP and SIGQUIT on to the group, unless it ignores them; processes that still run 10 s later, or at a
// second SIGINT, get SIGKILL. If this process is killed, the group is killed, too. Not for programs with several threads. Throws
// Error{misuse} if the command cannot be run, and Error{environment} if the machine lacks resources for it.
int run_ranks(Count ranks, const std::vector<std::string>& command);

// Returns the path of the shared library of that MPI (openmpi or mpich). Throws Error{environment} if its plug-in cannot be loaded.
std::string mpi_library_file(std::string_view library);

// Returns the version that the library reports, such as "Open MPI v4.1.4, ...", or the reason why it cannot be loaded.
std::string mpi_version(const PlugIn& plug_in);

}  // namespace quadrille
