// SPDX-License-Identifier: BSD-3-Clause
// Functions for processes that an MPI launcher or `quadrille run` started: what the environment says about this process before an
// MPI library is loaded, decisions that all ranks must make alike, and running work on all ranks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"
#include "support/watchdog.hpp"

namespace quadrille::command {

// This process's place among the processes that were started together.
struct Launched {
  Rank rank = 0;
  Count ranks = 1;
};

// Returns rank and number of processes as the launcher's environment variables state them. Returns nothing unless both are set and
// fit together, because a single variable is a remainder of another program's environment.
std::optional<Launched> launched();

// Returns true if a subcommand with this --executor runs on the ranks that a launcher started, and false if it runs on threads.
// Throws Error{misuse} if the environment fits two launchers.
bool joins_launched_ranks(const std::optional<std::string>& executor);

// Joins the group of processes that were launched together. If a process cannot join, it prints the reason itself, because rank 0
// may not exist.
std::unique_ptr<Communicator> join_launched_ranks();

// Collective. Returns on every rank whether rank 0 can write `file`, so that all ranks end together; rank 0 prints the reason if it
// cannot.
bool first_can_write(Communicator& world, const std::optional<std::string>& file);

// Throws Error{misuse} if `ranks` is more than the threads that one process may run.
void check_threads(Count ranks);

// Returns the watchdog's message after `seconds` seconds without progress.
std::string stuck(double seconds);

// Runs `body` on this rank of the world and returns its exit code. A watchdog watches rank 0: there `body` must call `beat`
// whenever it makes progress, or the watchdog ends the program. An exception on any rank ends all ranks, since the others may be
// waiting for it; only Error{misuse}, which all ranks throw alike, is rethrown. `kept` is appended to the watchdog's message: ";
// what was measured is kept".
int run_watched(Communicator& world, double timeout_seconds, const std::function<int(Watchdog&)>& body,
                const std::string& kept = {});

}  // namespace quadrille::command
