// SPDX-License-Identifier: BSD-3-Clause
// An irregular exchange in passes by any SliceRoute, with all counts known or with headers. What each rank receives is found by
// dealing pass by pass for all ranks, once, in the time that all slices take, and kept as the headers that tell of it.
#pragma once

#include "collectives/slice_passes.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// What `analyse` of an exchange by a route returns.
struct RouteAnalysis : Analysis {
  virtual Program program(const Problem& problem, Rank me) const = 0;
};

// For Algorithm::analyse, with the parameter `counts`. Throws Error{too_large} beyond 2^28 slices, all passes together.
std::shared_ptr<const RouteAnalysis> replay_route(const Problem& problem, const Parameters& parameters,
                                                  std::shared_ptr<const SliceRoute> route, Bytes grain);

// For Algorithm::generate, of any RouteAnalysis.
Program program_by_route(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);

// For Algorithm::in_stages.
std::unique_ptr<StagedProgram> route_in_stages(const Problem& problem, const Parameters& parameters,
                                               std::shared_ptr<const SliceRoute> route, Bytes grain, Rank me);

}  // namespace quadrille
