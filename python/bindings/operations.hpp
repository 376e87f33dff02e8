// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm written in Python yields.
#pragma once

#include <string_view>

#include "bindings.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille::python {

enum class OperationKind : std::uint8_t { send, receive, copy, reduce };

struct Operation {
  OperationKind kind = OperationKind::copy;
  Rank peer = 0;           // of a message
  Regions source, target;  // a send has only a source, a receive only a target
  OperandOrder order = OperandOrder::source_first;
};

// Makes a rank's program of what the algorithm yields: a list of operations, or one operation, is a round; None is a round in which
// the rank does nothing; text begins a stage with this name. Throws TypeError for anything else.
Program program_of(const py::iterable& yielded, Rank rank);

}  // namespace quadrille::python
