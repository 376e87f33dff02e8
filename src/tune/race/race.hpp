// SPDX-License-Identifier: BSD-3-Clause
// The predicted time of the MPI library's own collective in a race.
#pragma once

#include "quadrille/race.hpp"

namespace quadrille {

// Fills in `assumed` and `predicted_seconds` of the entry of `vendor`. The library `mpi`, such as "Open MPI 4.1.4", is assumed to
// follow its built-in rules, and to take as long as MPI messages under the best policy. Leaves both absent if the rules or an
// equivalent algorithm of ours are not known, or if `fits` has no fit of Executor::mpi.
void predict_vendor(RaceEntry& entry, const Problem& problem, std::string_view mpi, const std::vector<ExecutorFit>& fits);

}  // namespace quadrille
