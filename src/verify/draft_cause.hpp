// SPDX-License-Identifier: BSD-3-Clause
// A cause that may still be united with others.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "quadrille/fault_cause.hpp"

namespace quadrille {

struct DraftCause {
  FaultCause cause;             // its message does not yet say how many operations are alike
  std::string alike;            // says it
  std::optional<Rank> shifted;  // a rank that is some rounds early or late, so that its messages may meet wrong ones
};

using OperationKey = std::tuple<Count, NamedOperation::Kind, Rank, Rank>;
OperationKey key_of(const NamedOperation& operation);

// The operation of a cause, and those that are alike; none if it is of kind rule.
std::vector<NamedOperation> operations_of(const FaultCause& cause);

// Moves the findings of `other` to `cause`.
void take_findings(FaultCause& cause, FaultCause& other);

// Erases the causes without findings.
void erase_empty(std::vector<DraftCause>& causes);

}  // namespace quadrille
