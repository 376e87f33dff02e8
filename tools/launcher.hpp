// SPDX-License-Identifier: BSD-3-Clause
// What an MPI launcher told this process in its environment, before any MPI library is loaded; what its ranks find out together;
// and how they run what they do together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"
#include "watchdog.hpp"

namespace quadrille::command {

// A process of several that were started together.
struct Launched {
  Rank rank = 0;
  Count ranks = 1;
};

// Nothing unless a launcher left both numbers, and they fit: one of them alone is a remainder in the environment.
std::optional<Launched> launched();

// What --executor asks for; "mpi" are the messages of an MPI library.
struct AskedExecutor {
  bool on_threads = false;
  Executor executor = Executor::automatic;
};

// Throws Error{misuse} for a word that is none of `known`.
AskedExecutor parse_executor(const std::optional<std::string>& word, const std::vector<std::string>& known);

// Does a subcommand with this --executor run on the ranks that a launcher started, rather than on threads? Throws Error{misuse}
// where the launcher could be either of two.
bool joins_launched_ranks(const std::optional<std::string>& executor);

// The group that this process was launched in. If it cannot join, every process says why: rank 0 may be nowhere.
std::unique_ptr<Communicator> join_launched_ranks();

// Collective: whether rank 0 finds that it can write `file`; it says so if not. The same answer on every rank, so that they end
// together.
bool first_can_write(Communicator& world, const std::optional<std::string>& file);

// Throws Error{misuse} where so many ranks are too many for the threads of one process.
void check_threads(Count ranks);

// What is said when nothing has moved for so long.
std::string stuck(double seconds);

// Runs `body` on this rank of the world and returns its exit code. Rank 0 hears of the progress, so rank 0 is watched: what shows
// progress calls `beat`. Whatever a rank throws ends all ranks, since the others may be waiting for it; only Error{misuse}, which
// all ranks throw alike, is passed on. `kept` is said, too, when nothing moves any more: "; what was measured is kept".
int run_watched(Communicator& world, double timeout_seconds, const std::function<int(Watchdog&)>& body,
                const std::string& kept = {});

}  // namespace quadrille::command
