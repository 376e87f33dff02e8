// SPDX-License-Identifier: BSD-3-Clause
// The plug-in's one entry.
#include "execute/mpi/plug_ins.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "execute/executions/in_flight.hpp"
#include "execute/mpi/plug_in/communicator.hpp"
#include "execute/process_events.hpp"

namespace quadrille {
namespace {

// Finalises MPI when it is destroyed, unless MPI has been finalised already.
struct Finaliser {
  ~Finaliser() {
    if (!EndOfMpi::is_over() && !MpiProcess::was_forked()) MPI_Finalize();
  }
};

// Throws Error{misuse} if MPI cannot be used: in a forked child, and after MPI_Finalize.
void check_usable() {
  if (MpiProcess::was_forked())
    throw Error(ErrorCode::misuse, "this process was forked from a rank of an MPI program; only that rank can make communicators");
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised) throw Error(ErrorCode::misuse, "MPI has been finalised; make communicators before MPI_Finalize");
}

std::unique_ptr<Communicator> world() {
  check_usable();
  int initialised = 0;
  MPI_Initialized(&initialised);
  std::shared_ptr<const void> finaliser;
  if (!initialised) {
    int level = MPI_THREAD_SINGLE;  // the progress thread, if enabled, calls MPI while the program calls it, too
    check_mpi(MPI_Init_thread(nullptr, nullptr, ProgressThread::is_asked() ? MPI_THREAD_MULTIPLE : level, &level),
              "MPI_Init_thread");
    finaliser = std::make_shared<Finaliser>();
  }
  return std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, std::move(finaliser));
}

#ifdef MPI_SESSION_NULL  // not by MPI_VERSION: Open MPI 5 has sessions, and says that it is MPI 3.1
constexpr bool has_sessions = true;
#else
constexpr bool has_sessions = false;
#endif

// Could the communicator belong to an MPI session? MPI does not tell whether there is a session. But before MPI_Init only sessions
// can make communicators, and they do not make MPI_COMM_WORLD or MPI_COMM_SELF.
bool may_be_of_session(MPI_Comm communicator) {
  return has_sessions && communicator != MPI_COMM_WORLD && communicator != MPI_COMM_SELF;
}

std::unique_ptr<Communicator> over(const void* handle, std::size_t bytes) {
  MPI_Comm communicator;
  if (bytes != sizeof communicator) throw Error(ErrorCode::misuse, "this communicator belongs to another MPI library");
  std::memcpy(&communicator, handle, bytes);
  if (communicator == MPI_COMM_NULL)
    throw Error(ErrorCode::misuse, "MPI_COMM_NULL has no ranks; make a group only on ranks that the communicator has");
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised && !may_be_of_session(communicator))
    throw Error(ErrorCode::misuse, "MPI is not initialised; call MPI_Init first");
  check_usable();
  int is_inter = 0;
  check_mpi(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  if (is_inter)
    throw Error(ErrorCode::misuse,
                "this is an intercommunicator; schedules are for one group of ranks, such as MPI_Intercomm_merge makes");
  return std::make_unique<MpiCommunicator>(communicator, nullptr);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // Keeps the first line only, without the control characters that some versions contain.
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of(std::string_view("\n\0", 2)), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string library_file() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&MPI_Init), &found) != 0 && found.dli_fname ? found.dli_fname : "";
}

}  // namespace
}  // namespace quadrille

extern "C" const quadrille::MpiPlugIn* quadrille_plug_in() {
  static constexpr quadrille::MpiPlugIn plug_in{QUADRILLE_VERSION, quadrille::world, quadrille::over, quadrille::mpi_version,
                                                quadrille::library_file};
  return &plug_in;
}
