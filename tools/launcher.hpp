// SPDX-License-Identifier: BSD-3-Clause
// What an MPI launcher told this process in its environment, before any MPI library is loaded.
#pragma once

#include <optional>

#include "quadrille/types.hpp"

namespace quadrille::command {

std::optional<Count> launched_ranks();  // how many processes were started together

// Whether this process does the talking: rank 0, or one that was started alone.
bool speaks();

}  // namespace quadrille::command
