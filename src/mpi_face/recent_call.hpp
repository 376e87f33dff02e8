// SPDX-License-Identifier: BSD-3-Clause
// Remembers recent calls. A call with the same arguments as a recent one, except for the buffers, has the same shape and site, so
// these are found in a few nanoseconds.
#pragma once

#include <string_view>

#include "mpi_face/call.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

struct RecentCall {
  bool is_known = false;
  Site* site = nullptr;  // null on a communicator of one rank, and if the MPI library always runs the call
  std::string_view why;  // the reason why the MPI library runs it
  MpiCall call{};        // its buffers are ignored
  Shape shape;
  bool synchronises = false;
  double price_s = 0;  // of a call, equal on all ranks

  // May this call be remembered? Only if its types are predefined, because the handle of a freed type may be reused, and only if it
  // has no arrays of counts, because their contents may change.
  static bool can_hold(const MpiCall& call) {
    if (call.function == Function::Barrier) return true;
    return !call.send.counts && !call.receive.counts && call.send.buffer != MPI_IN_PLACE && call.receive.buffer != MPI_IN_PLACE &&
           is_predefined(call.send.type) && is_predefined(call.receive.type);
  }

  // A null buffer with data is a wrong argument, so a call with a null buffer is only like another one with a null buffer.
  bool is_like(const MpiCall& other) const {
    return is_known && other.function == call.function && is_like(other.send, call.send) && is_like(other.receive, call.receive) &&
           other.root == call.root && other.operation == call.operation;
  }

  // Takes the buffers of a call that is like this one. In-place calls keep theirs.
  void set_buffers(const MpiCall& other) {
    if (shape.in_place && shape.collective != Collective::broadcast) return;
    if (shape.input.facts.is_valid) shape.input.memory = other.send.buffer;
    if (shape.output.facts.is_valid && !shape.keeps_output) shape.output.memory = other.receive.buffer;
  }

 private:
  static bool is_like(const Side& side, const Side& known) {
    return side.count == known.count && side.type == known.type && side.buffer != MPI_IN_PLACE && !side.counts &&
           !side.buffer == !known.buffer;
  }
};

}  // namespace quadrille::mpi_face
