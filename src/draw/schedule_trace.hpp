// SPDX-License-Identifier: BSD-3-Clause
// The trace of a schedule with what other parts of the library know of it.
#pragma once

#include <string>
#include <vector>

#include "quadrille/topology.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// Returns the trace with logical time. `label` names the algorithm in the title. A right schedule, without findings, has lower
// bounds.
Trace described_trace(const Schedule& schedule, const std::string& label, const Topology* topology,
                      const std::vector<Finding>& findings);

}  // namespace quadrille
