// SPDX-License-Identifier: BSD-3-Clause
// Ranks that decide which calls Quadrille runs (src/mpi_face/policy), in the random programs of
// tests/mpi_face/policy/simulated_ranks.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace quadrille::seeds {

// Faults of src/mpi_face/policy that a seed finds.
inline constexpr std::array plants_of_deciding{
    "own account",                  // a rank decides by its own account
    "message not sent",             // rank 0 makes the group before the others have its message
    "meeting missed",               // a rank does not learn in which call the ranks meet next
    "mode of one rank",             // a rank makes a plan and does not use it
    "loser kept",                   // a plan that lost its trial is taken
    "race not charged",             // a race is not charged to the account
    "old accounts",                 // after a trial in place the ranks do not agree on their accounts again
    "guests not counted",           // ranks meet as guests though their numbers of calls differ
    "finding of another function",  // what earlier runs found about another function is tried
    "one plan more",                // than 128
    "plan not shared",              // a rank does not run a kind by the elastic plan of another
    "sharing not ended",            // kinds share a plan that another kind has given up
};

// Returns what is wrong, with the shortest program that shows it; "" if nothing is.
std::string run_deciding(std::uint64_t seed);

}  // namespace quadrille::seeds
