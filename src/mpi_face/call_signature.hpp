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
      : function_(call.function), root_(call.root), operation_(call.operation), send_(call.send), receive_(call.receive) {}

  bool is_of(const MpiCall& call) const {
    return call.function == function_ && send_.is_of(call.send) && receive_.is_of(call.receive) && call.root == root_ &&
           call.operation == operation_;
  }

  static std::uint64_t hash_of(const MpiCall& call) {
    const auto counts = static_cast<std::uint64_t>(call.send.count) ^ static_cast<std::uint64_t>(call.receive.count) << 32;
    const auto what = static_cast<std::uint64_t>(call.function) ^ static_cast<std::uint64_t>(call.root) << 8;
    return hash_with(hash_with(what ^ bits_of(call.send.type) << 16, counts), bits_of(call.receive.type) ^ bits_of(call.operation));
  }

 private:
  // A null buffer with data is a wrong argument, so a call with a null buffer is only like another one with a null buffer.
  enum class Place { null, in_place, memory };
  static Place place_of(const void* buffer) {
    return !buffer ? Place::null : buffer == MPI_IN_PLACE ? Place::in_place : Place::memory;
  }

  struct SideSignature {
    Count count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Place place = Place::null;

    SideSignature() = default;
    explicit SideSignature(const Side& side) : count(side.count), type(side.type), place(place_of(side.buffer)) {}
    bool is_of(const Side& side) const {
      return side.count == count && side.type == type && !side.counts && place_of(side.buffer) == place;
    }
  };

  // The type of a side in place is not significant, and neither is that of a side that the call does not use.
  static bool can_be_of(const Side& side) {
    return !side.counts && (side.buffer == MPI_IN_PLACE || side.type == MPI_DATATYPE_NULL || is_predefined(side.type));
  }

  Function function_ = Function::count;
  int root_ = 0;
  MPI_Op operation_ = MPI_OP_NULL;
  SideSignature send_, receive_;
};

}  // namespace quadrille::mpi_face
