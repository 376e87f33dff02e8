// SPDX-License-Identifier: BSD-3-Clause
// Traces of the candidates of a race.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quadrille/race.hpp"
#include "quadrille/trace.hpp"

namespace quadrille::command {

// Collective: executes each candidate of the race again, observed, and returns the traces at rank 0, in the order of the entries.
// The MPI library's own collectives have none. `beat` is called before each candidate.
std::vector<Trace> race_traces(Communicator& ranks, const RaceResult& race, const RaceOptions& options,
                               const std::function<void()>& beat);

// Returns one trace as an object, several as an array.
std::string to_text(const std::vector<Trace>& traces);

}  // namespace quadrille::command
