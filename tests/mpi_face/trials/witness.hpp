// SPDX-License-Identifier: BSD-3-Clause
// Who ran a blocking collective? What the drop-in leaves to the MPI library it calls as PMPI_*. The program defines these functions
// as well, before the MPI library does, so it sees each such call, whatever the drop-in says of itself. (Without the drop-in
// nothing calls them, and nothing is seen.)
#pragma once

#include <string>

#include "invoke.hpp"

namespace quadrille::trials {

struct Runners {
  long ours = 0,
       vendors = 0;  // calls; one that makes a group asks the MPI library for collectives, so it counts as the MPI library's
};

// Before and after a call of this thread's.
void begin_call();
void end_call(Collective collective);

Runners runners_of(Collective collective);

// One line: "allgather 70 of 120, ...".
std::string runners_text();

// Collectives of `names` (separated by commas) that were not run by both, or whose name is unknown. Empty where the drop-in has
// been at work.
std::string not_run_by_both(const std::string& names);

}  // namespace quadrille::trials
