// SPDX-License-Identifier: BSD-3-Clause
// The table of the known calls on a communicator, by their signatures: the arguments except for the addresses of buffers. Calls
// with equal signatures have the same sites and, but for the addresses, the same shape. So sites and shape are found in a few
// nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "foundation/hash.hpp"
#include "foundation/lookup.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/shape.hpp"

namespace quadrille::mpi_face {

class CallSignature {
 public:
  // May the signature of this call, whose arguments are right, be kept? Only if its types are predefined, because the handle of a
  // freed type may be reused, and only if it has no arrays of counts, because their contents may change.
  static bool can_be_of(const MpiCall& call) { return can_be_of(call.send) && can_be_of(call.receive); }

  CallSignature() = default;  // of no call
  explicit CallSignature(const MpiCall& call) : CallSignature(call, call.function) {}
  // `function`: the function that was called; `call` has the same arguments in its blocking form.
  CallSignature(const MpiCall& call, Function function)
      : function_(number_of(function)),
        sends_(place_of(call.send.buffer)),
        receives_(place_of(call.receive.buffer)),
        root_(call.root),
        operation_(call.operation),
        send_count_(call.send.count),
        receive_count_(call.receive.count),
        send_type_(call.send.type),
        receive_type_(call.receive.type) {}

  bool is_of(const MpiCall& call) const { return is_of(call, call.function); }
  bool is_of(const MpiCall& call, Function function) const {
    return call.send.count == send_count_ && number_of(function) == function_ && call.receive.count == receive_count_ &&
           call.send.type == send_type_ && call.receive.type == receive_type_ && call.root == root_ &&
           call.operation == operation_ && place_of(call.send.buffer) == sends_ && place_of(call.receive.buffer) == receives_ &&
           !call.send.counts && !call.receive.counts;
  }

  static std::uint64_t hash_of(const MpiCall& call, Function function) {
    const auto counts = static_cast<std::uint64_t>(call.send.count) ^ static_cast<std::uint64_t>(call.receive.count) << 32;
    const auto what = static_cast<std::uint64_t>(function) ^ static_cast<std::uint64_t>(call.root) << 8;
    return hash_with(hash_with(what ^ bits_of(call.send.type) << 16, counts), bits_of(call.receive.type) ^ bits_of(call.operation));
  }

 private:
  // A null buffer with data is a wrong argument, so calls with and without a null buffer have different signatures.
  enum class Place : std::uint8_t { null, in_place, memory };
  static Place place_of(const void* buffer) {
    return !buffer ? Place::null : buffer == MPI_IN_PLACE ? Place::in_place : Place::memory;
  }

  static std::uint16_t number_of(Function function) { return static_cast<std::uint16_t>(function); }

  // The type of a side is not significant if the side is in place or the function does not use the side.
  static bool can_be_of(const Side& side) {
    return !side.counts && (side.buffer == MPI_IN_PLACE || side.type == MPI_DATATYPE_NULL || is_predefined(side.type));
  }

  // Stored in few bytes, so that a signature and what it stands for share a cache line.
  std::uint16_t function_ = number_of(Function::count);
  Place sends_ = Place::null, receives_ = Place::null;
  int root_ = 0;
  MPI_Op operation_ = MPI_OP_NULL;
  Count send_count_ = 0, receive_count_ = 0;
  MPI_Datatype send_type_ = MPI_DATATYPE_NULL, receive_type_ = MPI_DATATYPE_NULL;
};

struct Site;      // of decisions (sites.hpp)
struct SiteHere;  // of a recording (recording/recorded_sites.hpp)

// What is known of a call without its site.
struct SeenCall {
  Shape shape;
  bool synchronises = false;
  double price_s = 0;    // of a call, equal on all ranks
  std::string_view why;  // the reason why the MPI library runs the calls; empty: unknown, or it does not
};

// An entry of the table: a signature, and what is known of its calls. Each reader of the table sets what it needs.
struct alignas(64) KnownCall {  // a cache line
  CallSignature signature;
  union {
    Site* site = nullptr;  // null on a communicator of one rank, and if the MPI library always runs the calls
    SiteHere* recorded;    // if the program is recorded: then nothing is decided
  };
  std::unique_ptr<SeenCall> seen;  // if `site` is null, or its calls have needed their shape
};

// The table of calls.
class KnownCalls {
 public:
  // Returns the entry of the calls with this signature; null if there is none.
  KnownCall* find(const MpiCall& call) { return find(call, call.function); }
  [[gnu::hot]] KnownCall* find(const MpiCall& call, Function function) {
    const auto count = static_cast<std::uint64_t>(call.send.count + call.receive.count);
    KnownCall*& recent = recent_[spread(count * 32 + static_cast<std::uint64_t>(function)) >> 60];
    if (recent && recent->signature.is_of(call, function)) [[likely]]
      return recent;
    KnownCall* const known = table_.find(CallSignature::hash_of(call, function),
                                         [&](const KnownCall& each) { return each.signature.is_of(call, function); });
    if (known) recent = known;
    return known;
  }

  // Adds the signature of a call, which is not known yet. Returns null if it cannot be kept, or the table is full.
  KnownCall* add(const MpiCall& call, Function function) {
    if (!CallSignature::can_be_of(call) || table_.values().size() == most) return nullptr;
    auto entry = std::make_unique<KnownCall>();
    entry->signature = CallSignature(call, function);
    return &table_.add(CallSignature::hash_of(call, function), std::move(entry));
  }

  // Adds the call with what is known of it, without a site. If it cannot be added, the result is valid until the next one.
  SeenCall& keep(const MpiCall& call, Function function, const SeenCall& seen) {
    KnownCall* const known = add(call, function);
    std::unique_ptr<SeenCall>& place = known ? known->seen : other_;
    if (!place) place = std::make_unique<SeenCall>();
    return *place = seen;
  }

 private:
  static constexpr std::size_t most = 8192;

  std::array<KnownCall*, 16> recent_{};  // entries that were found last, by a hash of function and count
  HashTable<KnownCall> table_;
  std::unique_ptr<SeenCall> other_;
};

}  // namespace quadrille::mpi_face
