// SPDX-License-Identifier: BSD-3-Clause
// Operators whose function differs from one execution of a plan to the next, as a lambda may capture something else in each call.
#pragma once

#include <memory>

#include "quadrille/operator.hpp"

namespace quadrille {

struct OperatorSlot {
  const Operator* now = nullptr;  // of the execution that is under way
};

// Like `like` in all but what it does: it combines by what is in the slot. MPI's own collectives cannot use it.
inline std::shared_ptr<const Operator> forwarding(const Operator& like, const std::shared_ptr<OperatorSlot>& slot) {
  Operator made = like;
  made.combine = [slot](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    slot->now->combine(source, target, elements, order);
  };
  made.mpi.reset();
  return std::make_shared<const Operator>(std::move(made));
}

}  // namespace quadrille
