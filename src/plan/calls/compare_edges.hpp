// SPDX-License-Identifier: BSD-3-Clause
// Finds edges of an exchange that only one end lists, before anything waits for them.
#pragma once

#include "quadrille/edges.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// Collective. Throws Error{misuse} on all ranks unless, for each pair of ranks, the sender lists as many edges with the same
// lengths as the receiver, in the same order. Edges of no bytes do not count. The edges must pass Exchanger::check. Each rank
// gathers one number from each rank, and two numbers for each pair if edges differ.
void compare_edges(Communicator& ranks, const Edges& edges);

}  // namespace quadrille
