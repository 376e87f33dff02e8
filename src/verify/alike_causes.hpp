// SPDX-License-Identifier: BSD-3-Clause
// Unites causes whose operations are wrong in the same way.
#pragma once

#include <vector>

#include "verify/choices.hpp"
#include "verify/draft_cause.hpp"

namespace quadrille {

// Unites causes whose operations together are most of a set (likeness.hpp): of existing operations or of missing ones. A set then
// consists of the operations that the schedule has and of those that it lacks.
void unite_alike(std::vector<DraftCause>& causes, const Investigation& known);

}  // namespace quadrille
