// SPDX-License-Identifier: BSD-3-Clause
// Says why ranks have not entered a call.
#pragma once

#include <vector>

#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"
#include "mpi_face/watch/waits.hpp"

namespace quadrille::mpi_face {

// The cause that ranks in a state are for ranks that wait for them.
HangVerdict::Cause cause_of(SeenRank::State state);

// Adds sentences that say why the ranks have not entered a call on a communicator (null: MPI_Finalize), the most important ones
// first, and sets the cause.
void explain_missing(HangVerdict& verdict, const SeenRun& run, const std::vector<Rank>& ranks, const CommonCommunicator* on,
                     const Stuck& stuck);

}  // namespace quadrille::mpi_face
