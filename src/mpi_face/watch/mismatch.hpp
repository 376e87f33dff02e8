// SPDX-License-Identifier: BSD-3-Clause
// Finds the first call on a communicator in which two ranks do not match, from the ranks' last calls.
#pragma once

#include <cstdint>
#include <optional>

#include "mpi_face/watch/reasons.hpp"
#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {

// The ranks of the reason are those whose call differs from that of most others. Considers calls with numbers from `from` on
// communicator `on` of the run; with `only_order`, only their functions.
std::optional<HangReason> first_mismatch(const SeenRun& run, int on, std::uint64_t from, bool only_order);

// Returns the rank's call with this number on the communicator, or null if it is not among its last calls.
const WatchedCall* call_with(const SeenRun& run, Rank rank, int on, std::uint64_t number);

}  // namespace quadrille::mpi_face
