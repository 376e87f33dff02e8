// SPDX-License-Identifier: BSD-3-Clause
// Which process may print what concerns the whole run. Header only, because the library to preload for the standard ABI is not
// linked with libquadrille.
#pragma once

#include <cstdlib>
#include <initializer_list>

namespace quadrille {

// Returns false if the variables of a launcher say that this process is not rank 0. Without a launcher each process is the first.
inline bool is_first_launched() {
  for (const char* variable : {"QUADRILLE_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(variable)) return std::atoi(rank) == 0;
  return true;
}

}  // namespace quadrille
