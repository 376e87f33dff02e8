// SPDX-License-Identifier: BSD-3-Clause
// A call as it came last. Programs repeat calls, and a call with the same arguments but for the buffers has the same shape and
// site: that is found out in some nanoseconds.
#pragma once

#include <string_view>

#include "mpi_face/call.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

struct RecentCall {
  bool is_known = false;
  Site* site = nullptr;  // null on a communicator of one rank, and where the call is always the MPI library's
  std::string_view why;  // it is
  MpiCall call{};        // its buffers are not looked at
  Shape shape;
  bool synchronises = false;

  // Predefined types only: another type may get the handle of one that was freed. Numbers of v-collectives may change in place.
  static bool can_hold(const MpiCall& call) {
    if (call.function == Function::Barrier) return true;
    return !call.send.counts && !call.receive.counts && call.send.buffer != MPI_IN_PLACE && call.receive.buffer != MPI_IN_PLACE &&
           is_predefined(call.send.type) && is_predefined(call.receive.type);
  }

  // Null buffers of data that is not empty are wrong arguments, unless they are null in both calls.
  bool is_like(const MpiCall& other) const {
    return is_known && other.function == call.function && is_like(other.send, call.send) && is_like(other.receive, call.receive) &&
           other.root == call.root && other.operation == call.operation;
  }

  // Those of a call that is like it; in place they are as they were.
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
