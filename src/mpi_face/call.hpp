// SPDX-License-Identifier: BSD-3-Clause
// A collective call with its caller's arguments, and the function that runs it by Quadrille ("ours") or by the MPI library ("the
// vendor").
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "mpi_face/symbols/function.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// Counts or displacements of a v-collective (one for each block), as int, MPI_Count or MPI_Aint. Null if the collective has none.
class Numbers {
 public:
  Numbers() = default;
  template <class Integer>
  Numbers(const Integer* numbers) : numbers_(numbers), are_ints_(sizeof(Integer) == sizeof(int)) {  // NOLINT: implicit
    static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(Count));
  }
  explicit operator bool() const { return numbers_ != nullptr; }
  const void* address() const { return numbers_; }
  Bytes bytes_each() const { return are_ints_ ? Bytes{sizeof(int)} : Bytes{sizeof(Count)}; }
  Count operator[](Count i) const {
    if (are_ints_) return static_cast<const int*>(numbers_)[i];
    Count number;
    std::memcpy(&number, static_cast<const char*>(numbers_) + i * Count{sizeof number}, sizeof number);
    return number;
  }

 private:
  const void* numbers_ = nullptr;
  bool are_ints_ = true;
};

// The send side or the receive side of a call: the data's place, amount and type.
struct Side {
  void* buffer = nullptr;  // never written on the send side
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Numbers counts, displacements;        // for v-collectives, instead of `count`
  const MPI_Datatype* types = nullptr;  // for w-collectives, instead of `type`; then displacements are in bytes
};

struct MpiCall {
  Function function;
  MPI_Comm communicator;
  Side send, receive;
  int root = 0;
  MPI_Op operation = MPI_OP_NULL;
};

// The meaning of the arguments of MPI's functions: a call_of() for each blocking collective. Counts are of type int or MPI_Count.

template <Function function>
struct Of {};

// `Side` has no const, so that send and receive sides have one type. A send buffer is never written.
inline Side plain(const void* buffer, Count count, MPI_Datatype type) { return {const_cast<void*>(buffer), count, type}; }
inline Side several(const void* buffer, Numbers counts, Numbers displacements, MPI_Datatype type) {
  return {const_cast<void*>(buffer), 0, type, counts, displacements};
}
inline Side several(const void* buffer, Numbers counts, Numbers displacements, const MPI_Datatype* types) {
  return {const_cast<void*>(buffer), 0, MPI_DATATYPE_NULL, counts, displacements, types};
}

inline MpiCall call_of(Of<Function::Barrier>, MPI_Comm comm) { return {Function::Barrier, comm, {}, {}}; }

template <class C>
MpiCall call_of(Of<Function::Bcast>, void* buffer, C count, MPI_Datatype type, int root, MPI_Comm comm) {
  return {Function::Bcast, comm, plain(buffer, count, type), plain(buffer, count, type), root};
}

template <class C>
MpiCall call_of(Of<Function::Reduce>, const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return {Function::Reduce, comm, plain(in, count, type), plain(out, count, type), root, op};
}

// Reductions without a root, of equal blocks.
template <Function function, class C>
requires(function == Function::Allreduce || function == Function::Reduce_scatter_block || function == Function::Scan ||
         function == Function::Exscan) MpiCall
    call_of(Of<function>, const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return {function, comm, plain(in, count, type), plain(out, count, type), 0, op};
}

template <class C>
MpiCall call_of(Of<Function::Reduce_scatter>, const void* in, void* out, const C* counts, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm) {
  return {Function::Reduce_scatter, comm, several(in, counts, {}, type), plain(out, 0, type), 0, op};
}

// Gather and scatter.
template <Function function, class C>
requires(function == Function::Gather || function == Function::Scatter) MpiCall
    call_of(Of<function>, const void* in, C in_count, MPI_Datatype in_type, void* out, C out_count, MPI_Datatype out_type, int root,
            MPI_Comm comm) {
  return {function, comm, plain(in, in_count, in_type), plain(out, out_count, out_type), root};
}

template <class C, class D>
MpiCall call_of(Of<Function::Gatherv>, const void* in, C in_count, MPI_Datatype in_type, void* out, const C* counts,
                const D* places, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return {Function::Gatherv, comm, plain(in, in_count, in_type), several(out, counts, places, out_type), root};
}

template <class C, class D>
MpiCall call_of(Of<Function::Scatterv>, const void* in, const C* counts, const D* places, MPI_Datatype in_type, void* out,
                C out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  return {Function::Scatterv, comm, several(in, counts, places, in_type), plain(out, out_count, out_type), root};
}

// All-gather and all-to-all, of all ranks or of neighbours.
template <Function function, class C>
requires(function == Function::Allgather || function == Function::Alltoall || function == Function::Neighbor_allgather ||
         function == Function::Neighbor_alltoall) MpiCall call_of(Of<function>, const void* in, C in_count, MPI_Datatype in_type,
                                                                  void* out, C out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return {function, comm, plain(in, in_count, in_type), plain(out, out_count, out_type)};
}

template <Function function, class C, class D>
requires(function == Function::Allgatherv || function == Function::Neighbor_allgatherv) MpiCall
    call_of(Of<function>, const void* in, C in_count, MPI_Datatype in_type, void* out, const C* counts, const D* places,
            MPI_Datatype out_type, MPI_Comm comm) {
  return {function, comm, plain(in, in_count, in_type), several(out, counts, places, out_type)};
}

template <Function function, class C, class D>
requires(function == Function::Alltoallv || function == Function::Neighbor_alltoallv) MpiCall
    call_of(Of<function>, const void* in, const C* in_counts, const D* in_places, MPI_Datatype in_type, void* out,
            const C* out_counts, const D* out_places, MPI_Datatype out_type, MPI_Comm comm) {
  return {function, comm, several(in, in_counts, in_places, in_type), several(out, out_counts, out_places, out_type)};
}

template <Function function, class C, class D>
requires(function == Function::Alltoallw || function == Function::Neighbor_alltoallw) MpiCall
    call_of(Of<function>, const void* in, const C* in_counts, const D* in_places, const MPI_Datatype* in_types, void* out,
            const C* out_counts, const D* out_places, const MPI_Datatype* out_types, MPI_Comm comm) {
  return {function, comm, several(in, in_counts, in_places, in_types), several(out, out_counts, out_places, out_types)};
}

// The address to which MPI's function returns that the program has called most recently on this thread.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local const void* called_from = nullptr;

// Each definition of an MPI function calls this first. It must be inlined, because it notes the return address of its caller.
[[gnu::always_inline]] inline void note_caller() { called_from = __builtin_return_address(0); }

// Calls the MPI library's own function with the caller's arguments. Must not outlive the call.
class VendorCall {
 public:
  template <class F>
  requires(!std::same_as<F, VendorCall>)  // a copy of a VendorCall must not call the original
      VendorCall(F& function)             // NOLINT: implicit, as in std::function_ref
      : object_(&function), run_([](void* object) { return (*static_cast<F*>(object))(); }) {}
  int operator()() const { return run_(object_); }

 private:
  void* object_;
  int (*run_)(void*);
};

// Runs the call by Quadrille or by the MPI library, counts it, and returns MPI's error code. Functions that every call runs are
// marked hot: the linker places them side by side, so that they need few pages.
[[gnu::hot]] int run(const MpiCall& call, VendorCall vendor);

// Call it before MPI_Init. Lets the watcher of 'quadrille wrap' read this process, and hides the watchers' key from what the
// program starts.
void expect_run() noexcept;

// Call it at the end of MPI_Init, on all ranks. It is local unless a report is asked for.
void begin_run() noexcept;

struct Site;
class CommunicatorState;

// Facts about a call that was run, for the report.
struct CallOutcome {
  Site* site = nullptr;   // the site of this kind of call; null if there is none
  Bytes block_bytes = 0;  // size of one block, which determines the size class of the call; 0 if unknown
  bool is_root = false;   // true if this rank is the root of a rooted call
  bool by_ours = false;
  std::uint64_t settling_ticks = 0;         // part of the call's time that was spent on groups, plans and trials
  std::optional<std::uint64_t> late_ticks;  // part that was spent waiting for late ranks, if it was measured
  std::string_view why;  // if `site` is null: why the MPI library ran the call; valid until the communicator is freed
};

// Calls that the MPI library always runs: nonblocking and persistent collectives.

// Number of arguments after the communicator: a request (nonblocking), or an info object and a request (persistent).
constexpr std::size_t arguments_behind(Function function) { return is_persistent(function) ? 2 : 1; }

// The blocking form of a nonblocking or persistent call with these arguments, which end with the communicator. Leaves out arrays
// with an entry for each neighbour.
template <Function function, class... Each>
MpiCall call_of_passed(Each... arguments) {
  const MpiCall call = call_of(Of<blocking_form(function)>(), arguments...);
  if (!is_neighbourhood(function) || (!call.send.counts && !call.receive.counts)) return call;
  return {call.function, call.communicator, {}, {}};
}

// Counts a call that is passed through, if a report is asked for, or records it. The call lasts from the construction of this
// object to its destruction.
class PassedThrough {
 public:
  PassedThrough(Function function, const MpiCall& call) noexcept;
  ~PassedThrough();
  PassedThrough(const PassedThrough&) = delete;
  PassedThrough& operator=(const PassedThrough&) = delete;

  // The call has made this request: waiting for it counts for this collective, too.
  void made(MPI_Request request) noexcept { request_ = request; }

 private:
  CommunicatorState* state_ = nullptr;
  const Function function_;
  const MpiCall call_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::uint64_t began_ = 0;
  bool is_recorded_ = false;
};

}  // namespace quadrille::mpi_face
