// SPDX-License-Identifier: BSD-3-Clause
// The problems that fits measure: equal blocks, and little memory.
#pragma once

#include <memory>

#include "quadrille/execute.hpp"

namespace quadrille {

// Returns a problem on the communicator's nodes with root 0. All blocks are equal, also in irregular collectives.
Problem fit_problem(Communicator& communicator, Collective collective, Bytes block, const Operator& operation);

Bytes longest_buffer(const Problem& problem);  // over input and output of all ranks

// True if the buffers of all ranks together take only a small part of a machine's memory.
bool is_small(const Problem& problem);

// Collective: returns true if the MPI library has the collective on every rank.
bool has_vendor(Communicator& communicator, const Problem& problem, const std::shared_ptr<const Operator>& operation);

}  // namespace quadrille
