// SPDX-License-Identifier: BSD-3-Clause
// What an MPI launcher told this process in its environment, before any MPI library is loaded; and what its ranks find out
// together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"

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

}  // namespace quadrille::command
