// SPDX-License-Identifier: BSD-3-Clause
// The functions of mpi_c.h.
#include <fmt/format.h>
#include <link.h>

#include <string>

#include "c_interface/handles.hpp"
#include "foundation/mpi_libraries.hpp"
#include "mpi_face/operation.hpp"
#include "quadrille/mpi.hpp"
#include "quadrille/mpi_c.h"

using namespace quadrille;
using namespace quadrille::c_interface;

namespace {

// A C program does not link with the package of another MPI library (mpi_package.h), but a Fortran program does. The process then
// loads both libraries, and some of the program's calls go to one library and some to the other.
void check_package() {
  const MpiLibrary* other = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, std::size_t, void* found) {
        const std::string path = loaded->dlpi_name ? loaded->dlpi_name : "";
        const MpiLibrary* const library = library_of_needed(path.substr(path.rfind('/') + 1));
        if (library && library->id != QUADRILLE_MPI_LIBRARY) *static_cast<const MpiLibrary**>(found) = library;
        return 0;
      },
      &other);
  if (other)
    throw Error(
        ErrorCode::misuse,
        fmt::format("the program's MPI library is {}, but the program is linked with quadrille-{}; link it with quadrille-{}",
                    other->title, QUADRILLE_MPI_LIBRARY, other->id));
}

// MPI libraries end the process if their functions are called before MPI_Init or after MPI_Finalize.
void check_usable() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (!initialised) throw Error(ErrorCode::misuse, "MPI is not initialised; call MPI_Init first");
  if (finalised) throw Error(ErrorCode::misuse, "MPI has been finalised; make groups and operators before MPI_Finalize");
}

MPI_Comm communicator_of(MPI_Fint handle) {
  check_package();
  check_usable();
  const MPI_Comm communicator = MPI_Comm_f2c(handle);
  if (communicator == MPI_Comm{})
    throw Error(ErrorCode::misuse, std::to_string(handle) + " is not the handle of a communicator in Fortran");
  return communicator;
}

}  // namespace

int quadrille_over(MPI_Comm communicator, quadrille_group* ranks) {
  return guarded([&] { make_handle(ranks, "ranks", [&] { return over(communicator); }); });
}

int quadrille_over_fortran(MPI_Fint communicator, quadrille_group* ranks) {
  return guarded([&] { make_handle(ranks, "ranks", [&] { return over(communicator_of(communicator)); }); });
}

int quadrille_operator_of_mpi(MPI_Op operation, MPI_Datatype type, quadrille_operator* made) {
  return guarded([&] {
    make_handle(made, "made", [&] {
      if (operation == MPI_OP_NULL || type == MPI_DATATYPE_NULL)
        throw Error(ErrorCode::misuse, "the operator or the datatype is a null handle of MPI; give both");
      check_usable();
      mpi_face::check_operands(operation, type);
      return operator_of(operation, type);
    });
  });
}
