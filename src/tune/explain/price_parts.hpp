// SPDX-License-Identifier: BSD-3-Clause
// The parts of a price, and the least price that any schedule can have.
#pragma once

#include <optional>

#include "quadrille/explain.hpp"
#include "quadrille/fit.hpp"

namespace quadrille {

// Takes apart the price of a way of ours by the model max-rate.
PriceParts parts_of(const Problem& problem, const Way& way, const ExecutorFit& fit);

// Takes apart a price by any other model. Bytes that meet on a link are contention; bytes that a rank composes, copies or
// rearranges are copies.
PriceParts parts_of(const Price& price, Policy policy);

// Returns the lower bound for one port. It applies because in the model max-rate each message takes its full start-up, even if
// several are under way at once. Without a fit, the bound has no time.
LowerBound bound_of(const Problem& problem, const Situation& situation, const std::optional<ExecutorFit>& fit);

}  // namespace quadrille
