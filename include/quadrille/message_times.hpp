// SPDX-License-Identifier: BSD-3-Clause
// The cost of a single message, for models that define one. The event-driven simulator (simulate.hpp) uses it.
#pragma once

#include "quadrille/model.hpp"
#include "quadrille/picoseconds.hpp"

namespace quadrille {

// The cost of a single message: LogGP [alexandrov1995], extended to several ports. The sender is busy for `overhead`.
// `latency` later the message begins to arrive, which takes `per_byte` for each byte. Then the receiver is busy for
// `overhead`.
struct MessageTimes {
  Picoseconds overhead = 0;            // o
  Picoseconds latency = 0;             // L
  Picoseconds gap = 0;                 // g: time between the starts of two messages on the same port
  ByteTime per_byte;                   // G
  bool is_first_byte_included = true;  // whether the overhead covers the first byte, as in LogGP
  Count ports = 1;  // messages that a rank can send at a time, and receive at the same time; overheads do not overlap
};

// Returns the costs that the model `loggp` or `linear` defines. For `linear`, the start-up is both the latency and
// the gap. Throws Error{misuse} for other models, and if the machine has no coefficients of the model.
MessageTimes message_times(const Model& model, const MachineCosts& machine);
MessageTimes message_times(const Model& model, const Coefficients& coefficients);

}  // namespace quadrille
