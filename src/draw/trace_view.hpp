// SPDX-License-Identifier: BSD-3-Clause
// What is shown with a trace: the layout of its network or its ranks, and what other parts of the library know of its schedule. The
// picture and the page in the browser place a network alike, because both ask layout_of.
#pragma once

#include <string>
#include <vector>

#include "draw/layout.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// Returns the layout of the trace's network, whose links have the same numbers. A trace without a network has its ranks in their
// nodes; without nodes, on their grid; without either, on a circle. It then has no stubs.
NetworkLayout layout_of(const Trace& trace);

// Returns a box for each node, in the order of their numbers, with its ranks in rows. `nodes`: the node of each rank.
NetworkLayout node_layout(const std::vector<Count>& nodes);

// Returns the trace with logical time. `label` names the algorithm in the title. A right schedule, without findings, has lower
// bounds.
Trace described_trace(const Schedule& schedule, const std::string& label, const Topology* topology,
                      const std::vector<Finding>& findings);

}  // namespace quadrille
