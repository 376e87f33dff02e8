// SPDX-License-Identifier: BSD-3-Clause
// Runs all programs together on symbolic memory, round by round: for the verifier, and for drawings that show the
// memory after each round.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "verify/finding_list.hpp"
#include "verify/symbolic.hpp"

namespace quadrille {

using SymbolicMemory = std::array<SymbolicBuffer, 4>;  // indexed by Buffer

// Called with the memory of each representative, before the first round and after each round. Before the
// first round `round` is empty.
using MemoryObserver =
    std::function<void(std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms& terms)>;

// Replays the programs of the symmetry's representatives, which are given in their order. With `no_symmetry`, these are all
// ranks. Any other symmetry must be one that can be replayed (asks_alike in by_symmetry.cpp). Throws Error{too_large} if
// the replay needs more pieces of memory than the options allow. `at_end` is called once, without a round, unless the list
// of findings was full before.
void replay(const Schedule& schedule, const Symmetry& symmetry, const std::vector<Program>& programs, const VerifyOptions& options,
            FindingList& findings, const MemoryObserver& observer = {}, const MemoryObserver& at_end = {});

}  // namespace quadrille
