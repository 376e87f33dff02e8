// SPDX-License-Identifier: BSD-3-Clause
// What the environment variables of MPI's launchers say about this process, and words about the libraries for sentences.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foundation/mpi_libraries.hpp"

namespace quadrille {

// Returns the libraries whose launchers may have started this process, and of libraries with the same variables only the first.
std::vector<const MpiLibrary*> launching_libraries(std::span<const MpiLibrary> libraries = mpi_libraries);

// Returns the value of the first variable of this kind that a launcher has set; empty if none has.
std::string launcher_value(const char* MpiLauncher::*variable);

// Returns the ids of the libraries with a plug-in: "openmpi" and so on.
std::vector<std::string> ids_with_plug_in();

// The same, and then the word for no library: "none".
std::vector<std::string> ids_or_none();

// Returns the ids of all libraries, which all have a drop-in.
std::vector<std::string> ids_with_drop_in();

// Returns the values of QUADRILLE_MPI that choose a library, as part of a sentence: "QUADRILLE_MPI=openmpi or QUADRILLE_MPI=mpich".
std::string settings_of_mpi();

}  // namespace quadrille
