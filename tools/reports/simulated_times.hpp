// SPDX-License-Identifier: BSD-3-Clause
// Adds simulated times to the trace of a schedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/model_options.hpp"
#include "quadrille/topology.hpp"
#include "quadrille/trace.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::command {

// Refuses to simulate a schedule with findings.
void refuse_wrong(const Schedule& schedule, const std::vector<Finding>& findings);

// Simulates by rounds, and by events with each policy of `events`. `by`: "rounds", "events" or absent, which means both. Without
// `by`, simulations by events are left out, with a remark, if the machine or the model cannot do them. Throws Error{misuse} if
// the simulation that `by` names cannot be done.
void add_simulated_times(Trace& trace, const Schedule& schedule, const Topology* topology, const ModelOptions& model,
                         const EventArguments& events = {}, const std::optional<std::string>& by = {});

}  // namespace quadrille::command
