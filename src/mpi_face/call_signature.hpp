// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a call, except for the addresses of its buffers. On one communicator, calls with equal signatures have the same
// site and, but for the addresses, the same shape. So these are found in a few nanoseconds once they are known.
#pragma once

#include <cstdint>

#include "foundation/hash.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "mpi_face/handle_map.hpp"

namespace quadrille::mpi_face {

class CallSignature {
 public:
  // May the signature of this call, whose arguments are right, be kept? Only if its types are predefined, because the handle of a
  // freed type may be reused, and only if it has no arrays of counts, because their contents may change.
  static bool can_be_of(const MpiCall& call) { return can_be_of(call.send) && can_be_of(call.receive); }

  CallSignature() = default;  // of no call
  explicit CallSignature(const MpiCall& call)
      : function_(number_of(call.function)),
        sends_(place_of(call.send.buffer)),
        receives_(place_of(call.receive.buffer)),
        root_(call.root),
        operation_(call.operation),
        send_count_(call.send.count),
        receive_count_(call.receive.count),
        send_type_(call.send.type),
        receive_type_(call.receive.type) {}

  bool is_of(const MpiCall& call) const {
    return call.send.count == send_count_ && number_of(call.function) == function_ && call.receive.count == receive_count_ &&
           call.send.type == send_type_ && call.receive.type == receive_type_ && call.root == root_ &&
           call.operation == operation_ && place_of(call.send.buffer) == sends_ && place_of(call.receive.buffer) == receives_ &&
           !call.send.counts && !call.receive.counts;
  }

  static std::uint64_t hash_of(const MpiCall& call) {
    const auto counts = static_cast<std::uint64_t>(call.send.count) ^ static_cast<std::uint64_t>(call.receive.count) << 32;
    const auto what = static_cast<std::uint64_t>(call.function) ^ static_cast<std::uint64_t>(call.root) << 8;
    return hash_with(hash_with(what ^ bits_of(call.send.type) << 16, counts), bits_of(call.receive.type) ^ bits_of(call.operation));
  }

 private:
  // A null buffer with data is a wrong argument, so a call with a null buffer is only like another one with a null buffer.
  enum class Place : std::uint8_t { null, in_place, memory };
  static Place place_of(const void* buffer) {
    return !buffer ? Place::null : buffer == MPI_IN_PLACE ? Place::in_place : Place::memory;
  }

  static std::uint16_t number_of(Function function) { return static_cast<std::uint16_t>(function); }

  // The type of a side in place is not significant, and neither is that of a side that the call does not use.
  static bool can_be_of(const Side& side) {
    return !side.counts && (side.buffer == MPI_IN_PLACE || side.type == MPI_DATATYPE_NULL || is_predefined(side.type));
  }

  // In few bytes, so that a signature and what it stands for share a cache line.
  std::uint16_t function_ = number_of(Function::count);
  Place sends_ = Place::null, receives_ = Place::null;
  int root_ = 0;
  MPI_Op operation_ = MPI_OP_NULL;
  Count send_count_ = 0, receive_count_ = 0;
  MPI_Datatype send_type_ = MPI_DATATYPE_NULL, receive_type_ = MPI_DATATYPE_NULL;
};

}  // namespace quadrille::mpi_face
