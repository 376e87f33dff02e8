// SPDX-License-Identifier: BSD-3-Clause
// The functions of a plug-in. A plug-in is a shared object that contains all calls of one MPI library; there is one for each
// library, because their binary interfaces differ. It is loaded when it is needed, so one command runs under the launcher of any
// MPI library and without MPI.
#pragma once

#include <memory>
#include <string>

#include "quadrille/execute.hpp"

namespace quadrille {

struct MpiPlugIn {
  const char* version;                       // QUADRILLE_VERSION of the build; must be equal to this library's
  std::unique_ptr<Communicator> (*world)();  // initialises MPI if the program has not; then it also finalises MPI
  std::unique_ptr<Communicator> (*over)(const void* handle, std::size_t bytes);
  std::string (*mpi_version)();
  std::string (*library_file)();  // the file of the MPI library
};

inline constexpr const char* plug_in_symbol = "quadrille_plug_in";
using PlugInFunction = const MpiPlugIn* (*)();

}  // namespace quadrille
