// SPDX-License-Identifier: BSD-3-Clause
// Finds the first call on a communicator in which two ranks do not match, from the ranks' last calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {

struct Mismatch {
  HangVerdict::Cause cause = HangVerdict::Cause::order;
  std::uint64_t number = 0;  // of the call
  std::vector<Rank> odd;     // ranks of the world whose call differs from that of most others, ascending
  std::vector<std::string> sentences;
};

// Considers calls with numbers from `from` on communicator `on` of the run; with `only_order`, only their functions.
std::optional<Mismatch> first_mismatch(const SeenRun& run, int on, std::uint64_t from, bool only_order);

// Returns the rank's call with this number on the communicator, or null if it is not among its last calls.
const WatchedCall* call_with(const SeenRun& run, Rank rank, int on, std::uint64_t number);

}  // namespace quadrille::mpi_face
