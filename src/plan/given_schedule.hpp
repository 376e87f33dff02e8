// SPDX-License-Identifier: BSD-3-Clause
// Schedules that do not come from an algorithm of the table: a family's schedule for a group of ranks, and a schedule that the
// caller passes to `plan`. Before the caller's schedule runs, the ranks verify it together and check that all of them passed the
// same one. Each process remembers the schedules that it has verified, by hashes of their exact values.
#pragma once

#include <cstdint>

#include "quadrille/candidate.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the schedule. If its problem names no nodes, it gets the communicator's.
Schedule placed(const Communicator& communicator, Schedule schedule);

// Returns the rank's own program. Throws Error{misuse} if the schedule was built by hand and is incomplete.
Program own_program(const Schedule& schedule, Rank rank);

// A hash of what a rank would run: its own program, for this problem. The problem must be placed (placed.hpp).
std::uint64_t part_hash(const Schedule& schedule, const Program& own);

// Returns the hash of the schedule with which this part was verified, or 0 if none is remembered. If all ranks get the same hash,
// their parts belong to the same verified schedule.
std::uint64_t verified_with(std::uint64_t part);

// Collective: verifies the schedule, whose problem must be placed, and remembers it if it is right. Rank 0 verifies it as `verify`
// does by default, and compares each rank's program hash with that rank's program in its own schedule. If the schedule states a
// symmetry, no rank makes all programs: each rank compares its own program with the image of its representative's program, and all
// ranks compare hashes of the representatives' programs. Throws on every rank: Error{misuse} with the first findings or with a
// difference between two ranks, Error{too_large} if the schedule is too large to be verified.
void verify_together(Communicator& communicator, const Schedule& schedule);

// Returns a family's schedule. Collective: all ranks pass copies of one family and the same problem. Each rank, or rank 0 alone,
// makes the schedule (Family::made_by). All ranks return the schedule or, if some ranks got none, the reason that the first of
// these ranks gives. If a rank throws, every rank throws the same error. Every rank throws Error{too_large} if rank 0 would make
// a schedule for more than most_ranks_of_first.
Result<Schedule> schedule_of(Communicator& communicator, const Family& family, const Problem& problem);

}  // namespace quadrille
