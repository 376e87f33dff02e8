// SPDX-License-Identifier: BSD-3-Clause
// Finds out who ran a blocking collective. The drop-in calls PMPI_* for calls that it leaves to the MPI library. The program
// defines these functions as well, before the MPI library does, and so sees each such call independently of the drop-in's report.
// Without the drop-in nothing calls these functions.
#pragma once

#include <string>

#include "invoke.hpp"

namespace quadrille::trials {

struct Runners {
  long ours = 0,
       // Number of calls; a call in which the drop-in makes a group uses the MPI library's collectives, so it counts as a vendor's
       // call.
      vendors = 0;
};

// To be called before and after a call, in the same thread.
void begin_call();
void end_call(Collective collective);

Runners runners_of(Collective collective);

// One line: "allgather 70 of 120, ...".
std::string runners_text();

// The collectives among `names` (separated by commas) that were not run by both, and unknown names. Empty if the drop-in has run
// calls of each.
std::string not_run_by_both(const std::string& names);

}  // namespace quadrille::trials
