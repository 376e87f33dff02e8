// SPDX-License-Identifier: BSD-3-Clause
// The cost of a single message, for models that define one. The event-driven simulator (simulate.hpp) uses it.
#pragma once

#include <optional>

#include "quadrille/model.hpp"
#include "quadrille/picoseconds.hpp"

namespace quadrille {

// The time for which each resource of the flat machine [liu2002, section 2.1] serves a message. Each serves one message at a time
// (simulate.hpp, docs/simulation.md).
struct ResourceTimes {
  Picoseconds send_startup = 0, receive_startup = 0;  // processor: T_s of the sender and of the receiver
  ByteTime compose;                                   // processor of the sender: t_m
  ByteTime copy_out, copy_in;                         // DMA engine of the sender, and of the receiver: t_c
  ByteTime wire;                                      // output port of the sender together with input port of the receiver: t_d
  bool overlap = true;  // if false, the processor does the work of the DMA engine and of the output port
};

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
  std::optional<ResourceTimes> resources = {};  // if given, these are used instead of the values above
};

// Returns the costs that the model defines (Model::times_of_message). For `linear`, the start-up is both the latency and the gap.
// For `flat`, the sender and the receiver each take half of T_s and of t_c, and the sender all of t_m. Throws Error{misuse} for
// models that define none, and if the machine has no coefficients of the model.
MessageTimes message_times(const Model& model, const MachineCosts& machine);
MessageTimes message_times(const Model& model, const Coefficients& coefficients);

}  // namespace quadrille
