// SPDX-License-Identifier: BSD-3-Clause
// Finds causes that follow from others.
#pragma once

#include <vector>

#include "verify/choices.hpp"
#include "verify/draft_cause.hpp"

namespace quadrille {

// Gives the findings of a cause to another one that explains them, too: bytes passed through operations that are wrong in the same
// way, or through rounds that are not where they belong. Several such operations together may have moved a byte to a place that no
// single one explains. Rules that are broken only where a cause's operations begin or end, in their rounds, are broken by these:
// two messages of the same ranks, for instance, one of which has no other end.
void take_consequences(std::vector<DraftCause>& causes, Investigation& known);

}  // namespace quadrille
