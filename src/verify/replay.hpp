// SPDX-License-Identifier: BSD-3-Clause
// Runs all programs together on symbolic memory, round by round. The verifier and drawings of the memory after each round use it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "quadrille/fault_cause.hpp"
#include "verify/finding_list.hpp"
#include "verify/symbolic.hpp"

namespace quadrille {

using SymbolicMemory = std::array<SymbolicBuffer, 4>;  // indexed by Buffer

// Called with the memory of each representative, before the first round and after each round. Before the
// first round `round` is empty.
using MemoryObserver =
    std::function<void(std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms& terms)>;

// An operation, and what it reads and writes.
struct PlayedOperation {
  NamedOperation name;
  const Regions* source = nullptr;
  const Regions* target = nullptr;
  bool done = true;  // false: the ends do not match or one is absent, so nothing is written; an absent end has null regions
};

// Called with each operation, in the order in which operations take effect: in a round, first the local operations, then the
// messages. All messages of a round read before any of them writes. The regions are those of the programs.
using OperationObserver = std::function<void(const PlayedOperation&)>;

// Replays the programs of the symmetry's representatives, which are given in their order. With `no_symmetry`, these are all
// ranks. Any other symmetry must be one that can be replayed (asks_alike in by_symmetry.cpp). Throws Error{too_large} if
// the replay needs more pieces of memory than the options allow. `at_end` is called once, without a round, unless the list of
// findings became full before the end. `on_operation` needs `no_symmetry`.
void replay(const Schedule& schedule, const Symmetry& symmetry, const std::vector<Program>& programs, const VerifyOptions& options,
            FindingList& findings, const MemoryObserver& observer = {}, const MemoryObserver& at_end = {},
            const OperationObserver& on_operation = {});

}  // namespace quadrille
