// SPDX-License-Identifier: BSD-3-Clause
// What a rank that waits for a message can know from its peer's calls.
#pragma once

#include <string>

#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {

struct MessageProblem {
  std::string sentence;     // why the messages of the two ranks do not match; empty: no such reason is known
  bool is_matched = false;  // the peer is in the call that `call` waits for
};

MessageProblem problem_of(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer);

std::string peer_words(const WatchedCall& call, Rank peer);  // " from rank 3, tag 7"; `peer`: in the world
std::string wait_words(const SeenRun& run, Rank rank);       // "rank 0 waits in Recv from rank 3, tag 7 (solver.c:88)"

// Says what the peer does instead of sending or receiving.
std::string peer_sentence(const SeenRun& run, Rank rank, Rank peer);

}  // namespace quadrille::mpi_face
