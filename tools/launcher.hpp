// SPDX-License-Identifier: BSD-3-Clause
// What an MPI launcher told this process in its environment, before any MPI library is loaded; and what its ranks find out
// together.
#pragma once

#include <optional>
#include <string>

#include "quadrille/execute.hpp"
#include "quadrille/types.hpp"

namespace quadrille::command {

std::optional<Count> launched_ranks();  // how many processes were started together

// Whether this process does the talking: rank 0, or one that was started alone.
bool speaks();

// Collective: whether rank 0 finds that it can write `file`; it says so if not. The same answer on every rank, so that they end
// together.
bool first_can_write(Communicator& world, const std::optional<std::string>& file);

}  // namespace quadrille::command
