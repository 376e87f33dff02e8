// SPDX-License-Identifier: BSD-3-Clause
// What fits are made of: problems of equal blocks that a small part of the memory is enough for.
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

// On the communicator's nodes, with root 0; equal blocks also where the collective allows others.
Problem fit_problem(Communicator& communicator, Collective collective, Bytes block, const Operator& operation);

Bytes longest_buffer(const Problem& problem);  // of such a problem: input or output of a rank

// Do the buffers of all ranks fit a small part of a machine?
bool is_small(const Problem& problem);

}  // namespace quadrille
