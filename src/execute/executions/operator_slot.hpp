// SPDX-License-Identifier: BSD-3-Clause
// Operators whose function changes from one execution of a plan to the next. A typed call needs them: the library keeps its plan,
// but the user's lambda may capture other data in each call.
#pragma once

#include <memory>

#include "quadrille/operator.hpp"

namespace quadrille {

struct OperatorSlot {
  const Operator* now = nullptr;  // the operator of the running execution
};

// Returns an operator with the properties of `like` that calls the function of the operator in the slot. The MPI library's
// collectives cannot use it.
inline std::shared_ptr<const Operator> forwarding(const Operator& like, const std::shared_ptr<OperatorSlot>& slot) {
  Operator made = like;
  made.combine = [slot](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    slot->now->combine(source, target, elements, order);
  };
  made.mpi.reset();
  return std::make_shared<const Operator>(std::move(made));
}

}  // namespace quadrille
