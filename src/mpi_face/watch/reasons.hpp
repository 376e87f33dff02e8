// SPDX-License-Identifier: BSD-3-Clause
// Says why ranks have not come to a collective, do not send or receive a message, or why their calls do not match.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {

// Why ranks are not in the collective, or without a call: not in MPI_Finalize. The most important sentences are first.
HangReason why_missing(const SeenRun& run, const std::vector<Rank>& ranks, const Stuck& stuck);

// Why ranks do not send the message, or do not receive it, for which a rank waits.
HangReason why_no_message(const SeenRun& run, Rank rank, const std::vector<Rank>& peers);

// Why the message does not match what the peer waits for, or has sent; nothing if that is not known. Cause `library`: it matches.
std::optional<HangReason> why_no_match(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer);

// The first call on communicator `on` of the run in which ranks do not match (mismatch.cpp), of those with numbers from `from`;
// with `only_order`, only their functions are compared. The causes are the ranks whose call differs from that of most others.
std::optional<HangReason> first_mismatch(const SeenRun& run, int on, std::uint64_t from, bool only_order);

// Returns the rank's call with this number on the communicator, or null if it is not among its last calls.
const WatchedCall* call_with(const SeenRun& run, Rank rank, int on, std::uint64_t number);

std::string peer_words(const WatchedCall& call, Rank peer);  // " from rank 3, tag 7"; `peer`: in the world
std::string wait_words(const SeenRun& run, Rank rank);       // "rank 0 waits in Recv from rank 3, tag 7 (solver.c:88)"

}  // namespace quadrille::mpi_face
