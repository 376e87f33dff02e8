// SPDX-License-Identifier: BSD-3-Clause
#include "verify/draft_cause.hpp"

namespace quadrille {

OperationKey key_of(const NamedOperation& operation) { return {operation.round, operation.kind, operation.from, operation.to}; }

std::vector<NamedOperation> operations_of(const FaultCause& cause) {
  if (!cause.operation) return {};
  std::vector<NamedOperation> operations{*cause.operation};
  operations.insert(operations.end(), cause.alike.begin(), cause.alike.end());
  return operations;
}

void take_findings(FaultCause& cause, FaultCause& other) {
  cause.findings.insert(cause.findings.end(), other.findings.begin(), other.findings.end());
  other.findings.clear();
}

void erase_empty(std::vector<DraftCause>& causes) {
  std::erase_if(causes, [](const DraftCause& draft) { return draft.cause.findings.empty(); });
}

}  // namespace quadrille
