// SPDX-License-Identifier: BSD-3-Clause
// The layout of what a trace shows. The picture and the page in the browser place a network alike, because both ask layout_of.
#pragma once

#include <vector>

#include "draw/layout.hpp"
#include "quadrille/trace.hpp"

namespace quadrille {

// Returns the layout of the trace's network, whose links have the same numbers. A trace without a network has its ranks in their
// nodes; without nodes, on their grid; without either, on a circle. It then has no stubs.
NetworkLayout layout_of(const Trace& trace);

// Returns a box for each node, in the order of their numbers, with its ranks in rows. `nodes`: the node of each rank.
NetworkLayout node_layout(const std::vector<Count>& nodes);

}  // namespace quadrille
