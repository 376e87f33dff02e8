// SPDX-License-Identifier: BSD-3-Clause
// All programs together on symbolic memory, round by round: for the verifier, and for whoever wants to see the memory on the way.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "verify/report.hpp"
#include "verify/symbolic.hpp"

namespace quadrille {

using SymbolicMemory = std::array<SymbolicBuffer, 4>;  // by Buffer

// Memory of each representative: before the first round, which has no number, and after each round.
using MemoryObserver =
    std::function<void(std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms& terms)>;

// Plays the programs of the symmetry's representatives, in their order; all ranks are those of `no_symmetry`. A symmetry other than
// that has to be one of `can_be_symmetric` (symmetry.hpp). Throws Error{too_large} beyond the pieces of memory that the options
// allow. `at_end` is called once, without a round, unless the report is full before.
void replay(const Schedule& schedule, const Symmetry& symmetry, const std::vector<Program>& programs, const VerifyOptions& options,
            Report& report, const MemoryObserver& observer = {}, const MemoryObserver& at_end = {});

}  // namespace quadrille
