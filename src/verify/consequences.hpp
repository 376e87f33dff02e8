// SPDX-License-Identifier: BSD-3-Clause
// Causes that are probably one mistake: their operations are wrong in the same way, or one follows from another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/fault_cause.hpp"
#include "verify/choices.hpp"

namespace quadrille {

// A cause that may still be united with others.
struct DraftCause {
  FaultCause cause;             // its message does not yet say how many operations are alike
  std::string alike;            // says it
  std::optional<Rank> shifted;  // a rank that is some rounds early or late, so that its messages may meet wrong ones
};

// Unites causes whose operations together are most of a set (likeness.hpp): of existing operations or of missing ones. A set then
// consists of the operations that the schedule has and of those that it lacks.
void unite_alike(std::vector<DraftCause>& causes, const Investigation& known);

// Gives the findings of a cause to another one that explains them, too: bytes passed through operations that are wrong in the same
// way, or through rounds that are not where they belong. Several such operations together may have moved a byte to a place that no
// single one explains. Rules that are broken only where a cause's operations begin or end, in their rounds, are broken by these:
// two messages of the same ranks, for instance, one of which has no other end.
void take_consequences(std::vector<DraftCause>& causes, Investigation& known);

}  // namespace quadrille
