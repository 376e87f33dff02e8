// SPDX-License-Identifier: BSD-3-Clause
// The interpreter: runs all programs in one thread on plain bytes, round by round, exactly as schedule.hpp defines
// them. It is slow and simple; every executor must produce the same bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

using ByteVector = std::vector<std::byte>;

struct InterpreterOptions {
  std::byte unwritten{0xA5};                  // initial value of the bytes of output and scratch memory
  std::shared_ptr<const Operator> operation;  // required if the schedule has reductions
};

// Runs `schedule` on one input per rank and returns one output per rank. A message whose other end is missing is
// lost; if the ends have different lengths, it is cut to the shorter one. Throws Error{misuse} if a region lies
// outside its buffer, if a reduction has no operator, or if an operand does not consist of whole elements, because a region cuts
// an element or an element has bytes of several elements.
std::vector<ByteVector> interpret(const Schedule& schedule, const std::vector<ByteVector>& inputs,
                                  const InterpreterOptions& options = {});

}  // namespace quadrille
