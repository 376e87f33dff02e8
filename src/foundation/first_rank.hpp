// SPDX-License-Identifier: BSD-3-Clause
// Which process may print what concerns the whole run. Header only, because the library to preload for the standard ABI is not
// linked with libquadrille.
#pragma once

#include <cstdlib>

#include "foundation/mpi_libraries.hpp"

namespace quadrille {

// Returns false if the variables of a launcher say that this process is not rank 0. Without a launcher each process is the first.
inline bool is_first_launched() {
  if (const char* rank = std::getenv("QUADRILLE_RANK")) return std::atoi(rank) == 0;
  for (const MpiLibrary& library : mpi_libraries)
    for (const char* variable : {library.launcher.rank, library.launcher.other_rank})
      if (const char* rank = variable ? std::getenv(variable) : nullptr) return std::atoi(rank) == 0;
  return true;
}

}  // namespace quadrille
