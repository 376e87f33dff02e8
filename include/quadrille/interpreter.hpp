// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a schedule: all programs run in one thread on plain bytes, round by round, exactly as the words in
// schedule.hpp say. Slow and obvious; every executor must leave the same bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

using ByteVector = std::vector<std::byte>;

struct InterpreterOptions {
  std::byte unwritten{0xA5};                  // what output and scratch hold before anything is written
  std::shared_ptr<const Operator> operation;  // reductions need one
};

// Runs `schedule` on one input per rank and returns one output per rank. A message without its other end is lost, and one
// of unequal ends is cut to the shorter. Throws Error{misuse} if a region lies outside its buffer, if a reduction has no
// operator, or if an operand of it is not made of whole elements: cut by a region, or with bytes of several elements in one.
std::vector<ByteVector> interpret(const Schedule& schedule, const std::vector<ByteVector>& inputs,
                                  const InterpreterOptions& options = {});

}  // namespace quadrille
