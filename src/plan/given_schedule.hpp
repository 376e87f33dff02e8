// SPDX-License-Identifier: BSD-3-Clause
// A schedule that the caller hands to `plan`. Nobody knows that it is right, or that all ranks hand over the same one, until the
// ranks have verified it together. What they have verified is remembered in each process, by hashes of the exact values.
#pragma once

#include <cstdint>

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// The schedule of the problem as it is run: where it names no nodes, on those of the communicator.
Schedule placed(const Communicator& communicator, Schedule schedule);

// A rank's own program. Throws Error{misuse} if the schedule was built by hand and is not complete.
Program own_program(const Schedule& schedule, Rank rank);

// Names what a rank would run: its own program, for the problem. The problem is placed (placed.hpp).
std::uint64_t part_hash(const Schedule& schedule, const Program& own);

// The schedule that the ranks verified together of which this is a rank's part; 0: none that is remembered. Where all ranks know
// theirs as parts of the same schedule, their programs are right together.
std::uint64_t verified_with(std::uint64_t part);

// Collective. Verifies the schedule, whose problem is placed, and remembers that. Rank 0 verifies, as `verify` does by default.
// Where a symmetry is stated, each rank compares its own program with its representative's, and all ranks compare hashes of the
// representatives' programs, so that nobody makes all programs; else rank 0 makes them, and compares each with the hash of the one
// that its rank holds. Throws on every rank: Error{misuse} with the first findings, or with a difference between two ranks;
// Error{too_large} if it is too large to be verified.
void verify_together(Communicator& communicator, const Schedule& schedule);

}  // namespace quadrille
