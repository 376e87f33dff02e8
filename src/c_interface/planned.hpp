// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan of any collective from the arguments of C.
#pragma once

#include "quadrille/c.h"
#include "quadrille/problem.hpp"

namespace quadrille::c_interface {

// Blocks as C gives them: one count and one displacement for each rank, or null.
struct Lists {
  const int64_t* counts = nullptr;
  const int64_t* displacements = nullptr;
};

// The arguments of a collective, of which each has some.
struct Asked {
  Collective collective{};
  Count count = 0;
  Bytes element_bytes = 1;                 // unless it is a reduction
  quadrille_operator operation = nullptr;  // of a reduction
  Rank root = 0;
  Lists send{}, receive{};
};

// Collective. Makes the plan for the handle at `address`, as the functions of c.h do. Returns the code of an error. A wrong group
// or address is refused on this rank alone, and other wrong arguments on all ranks.
int planned(quadrille_group group, const Asked& asked, const quadrille_plan_options* given, quadrille_plan* address);

}  // namespace quadrille::c_interface
