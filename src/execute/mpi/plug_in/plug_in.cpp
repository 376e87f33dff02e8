// SPDX-License-Identifier: BSD-3-Clause
// The plug-in's one entry.
#include "execute/mpi/plug_in.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "execute/mpi/plug_in/communicator.hpp"
#include "execute/mpi/plug_in/handle.hpp"

namespace quadrille {
namespace {

// Private, so that no message of the user's can meet one of ours.
MPI_Comm duplicate(MPI_Comm users) {
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(users, &own), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return own;
}

std::unique_ptr<Communicator> held(MPI_Comm own, bool finalises) {
  return std::make_unique<CommunicatorHandle>(std::make_shared<MpiCommunicator>(own, finalises));
}

void check_not_finalised() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised) throw Error(ErrorCode::misuse, "MPI has been finalised; make communicators before MPI_Finalize");
}

std::unique_ptr<Communicator> world() {
  check_not_finalised();
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) check_mpi(MPI_Init(nullptr, nullptr), "MPI_Init");
  return held(duplicate(MPI_COMM_WORLD), !initialised);
}

std::unique_ptr<Communicator> over(const void* handle, std::size_t bytes) {
  MPI_Comm communicator;
  if (bytes != sizeof communicator) throw Error(ErrorCode::misuse, "this communicator belongs to another MPI library");
  std::memcpy(&communicator, handle, bytes);
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (!initialised) throw Error(ErrorCode::misuse, "MPI is not initialised; call MPI_Init first");
  check_not_finalised();
  int is_inter = 0;
  if (communicator == MPI_COMM_NULL)
    throw Error(ErrorCode::misuse, "MPI_COMM_NULL has no ranks; call over() only on ranks that the communicator has");
  check_mpi(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  if (is_inter)
    throw Error(ErrorCode::misuse,
                "this is an intercommunicator; schedules are for one group of ranks, such as MPI_Intercomm_merge makes");
  return held(duplicate(communicator), false);
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // The first line, without the control characters that some versions hold.
  std::string line(text, static_cast<std::size_t>(length));
  line.resize(std::min(line.find_first_of(std::string_view("\n\0", 2)), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace
}  // namespace quadrille

extern "C" const quadrille::MpiPlugIn* quadrille_plug_in() {
  static constexpr quadrille::MpiPlugIn plug_in{QUADRILLE_VERSION, quadrille::world, quadrille::over, quadrille::mpi_version};
  return &plug_in;
}
