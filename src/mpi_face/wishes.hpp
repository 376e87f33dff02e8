// SPDX-License-Identifier: BSD-3-Clause
// The user's wishes about choices and tuning. All ranks use those of one rank, because the environment variables of ranks may
// differ.
#pragma once

#include <string>

#include "mpi_face/rules.hpp"

namespace quadrille::mpi_face {

struct Wishes {
  ChoiceRules rules;      // QUADRILLE_CHOOSE
  double tune_share = 0;  // QUADRILLE_TUNE: fraction of the run's time that races may take; 0: no races
};

// The texts of this process's environment; empty if there are none.
std::string text_of_wishes();

// Reads such texts. `tells`: reports invalid parts on stderr, once per process.
Wishes parse_wishes(const std::string& text, bool tells);

}  // namespace quadrille::mpi_face
