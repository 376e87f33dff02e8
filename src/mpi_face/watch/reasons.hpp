// SPDX-License-Identifier: BSD-3-Clause
// Says why ranks have not come to a collective, or do not send or receive a message.
#pragma once

#include <string>
#include <vector>

#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {

// The cause that ranks in a state are for ranks that wait for them.
HangVerdict::Cause cause_of(SeenRank::State state);

// Adds sentences that say why the ranks have not come to a collective (no call: to MPI_Finalize), the most important ones first,
// and sets the cause.
void explain_missing(HangVerdict& verdict, const SeenRun& run, const std::vector<Rank>& ranks, const Stuck& stuck);

// What a rank that waits for a message can know from its peer's calls.
struct MessageProblem {
  std::string sentence;     // why the messages of the two ranks do not match; empty: no such reason is known
  bool is_matched = false;  // the peer is in the call that `call` waits for
};
MessageProblem problem_of(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer);

// Says what the peer does instead of sending or receiving.
std::string peer_sentence(const SeenRun& run, Rank rank, Rank peer);

std::string peer_words(const WatchedCall& call, Rank peer);  // " from rank 3, tag 7"; `peer`: in the world
std::string wait_words(const SeenRun& run, Rank rank);       // "rank 0 waits in Recv from rank 3, tag 7 (solver.c:88)"

}  // namespace quadrille::mpi_face
