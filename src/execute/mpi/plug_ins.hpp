// SPDX-License-Identifier: BSD-3-Clause
// Loads the plug-in of an MPI library to run ranks. transports.hpp has the functions that only query a plug-in.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "quadrille/execute.hpp"

namespace quadrille {

// The functions of a plug-in. A plug-in is a shared object that contains all calls of one MPI library; there is one for each
// library, because their binary interfaces differ. A plug-in is loaded only when it is needed, so the same command runs under the
// launcher of any MPI library, and without MPI.
struct MpiPlugIn {
  const char* version;                       // build_version(); must be equal to this library's
  std::unique_ptr<Communicator> (*world)();  // initialises MPI if the program has not; in that case it also finalises MPI
  std::unique_ptr<Communicator> (*over)(const void* handle, std::size_t bytes);
  std::string (*mpi_version)();
  std::string (*library_file)();  // the file of the MPI library
};

inline constexpr const char* plug_in_symbol = "quadrille_plug_in";
using PlugInFunction = const MpiPlugIn* (*)();

// Loads a plug-in with global symbols, because MPI libraries load their own components, which look for the library's symbols
// among the global ones. The plug-in stays loaded, because a program may make ten thousand communicators. Throws
// Error{environment} if it cannot be loaded.
const MpiPlugIn& load_to_run(std::string_view library);

// Returns how many processes the MPI launcher has started, as its environment variables say; 0 if there is no launcher.
Count launched_ranks();

}  // namespace quadrille
