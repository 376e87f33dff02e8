// SPDX-License-Identifier: BSD-3-Clause
// Collectives in two parts along the same binomial tree: rank 0 collects, or combines, everything in its output, and broadcasts it
// from there. The baselines that the papers compare with are of this form.
#pragma once

#include <memory>

#include "quadrille/algorithm.hpp"

namespace quadrille::then_broadcast {

// `first` is the collective of the first part, with the blocks of the problem; `bytes` are broadcast.
std::shared_ptr<const Analysis> analyse(const Problem& problem, Collective first, Bytes bytes);
Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);

}  // namespace quadrille::then_broadcast
