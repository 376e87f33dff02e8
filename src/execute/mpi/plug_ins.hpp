// SPDX-License-Identifier: BSD-3-Clause
// Loading the plug-in of an MPI library to run ranks by it. transports.hpp has the functions that only ask a plug-in something.
#pragma once

#include <string_view>

#include "execute/mpi/plug_in.hpp"

namespace quadrille {

// Loads a plug-in with global symbols, because MPI libraries load components of their own, which look for the library's symbols
// among the global ones. The plug-in stays loaded, because a program may make ten thousand communicators. Throws
// Error{environment} if it cannot be loaded.
const MpiPlugIn& load_to_run(std::string_view library);

// Returns how many processes the MPI launcher has started, as its environment variables say; 0 if there is no launcher.
Count launched_ranks();

}  // namespace quadrille
