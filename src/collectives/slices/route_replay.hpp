// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange in passes along any SliceRoute, with all counts known or with headers. The dealing of every pass
// is replayed once for all ranks to find the slices that each rank receives. This takes time proportional to the number
// of slices. The result is stored as the headers of all messages.
#pragma once

#include "collectives/slices/slice_passes.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// The result of `analyse` for an exchange along a route.
struct RouteAnalysis : Analysis {
  virtual Program program(const Problem& problem, Rank me) const = 0;
};

// For Algorithm::analyse, with the parameter `counts`. Throws Error{too_large} if all passes together have more than
// 2^28 slices.
std::shared_ptr<const RouteAnalysis> replay_route(const Problem& problem, const Parameters& parameters,
                                                  std::shared_ptr<const SliceRoute> route, Bytes grain);

// For Algorithm::generate; works with every RouteAnalysis.
Program program_by_route(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);

// For Algorithm::incremental.
std::unique_ptr<IncrementalProgram> route_in_stages(const Problem& problem, const Parameters& parameters,
                                                    std::shared_ptr<const SliceRoute> route, Bytes grain, Rank me);

}  // namespace quadrille
