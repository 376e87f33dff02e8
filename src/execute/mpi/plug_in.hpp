// SPDX-License-Identifier: BSD-3-Clause
// What a plug-in offers. There is one shared object for each MPI library, since their binary interfaces differ; it is
// loaded when a process turns out to be an MPI program, so that one command runs under every launcher and under none.
#pragma once

#include <memory>
#include <string>

#include "quadrille/execute.hpp"

namespace quadrille {

struct MpiPlugIn {
  const char* version;                       // QUADRILLE_VERSION of the build; must be the library's own
  std::unique_ptr<Communicator> (*world)();  // initialises MPI unless it is, and finalises it again in that case
  std::unique_ptr<Communicator> (*over)(const void* handle, std::size_t bytes);
  std::string (*mpi_version)();
  std::string (*library_file)();  // of MPI
};

inline constexpr const char* plug_in_symbol = "quadrille_plug_in";
using PlugInFunction = const MpiPlugIn* (*)();

}  // namespace quadrille
