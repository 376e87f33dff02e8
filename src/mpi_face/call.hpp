// SPDX-License-Identifier: BSD-3-Clause
// A blocking collective as its caller gave it, and the two ways to run it.
#pragma once

#include <mpi.h>

#include <cstring>

#include "mpi_face/function.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// Counts or displacements of a v-collective, as int, MPI_Count or MPI_Aint; null where the collective has none.
class Numbers {
 public:
  Numbers() = default;
  template <class Integer>
  Numbers(const Integer* numbers) : numbers_(numbers), are_ints_(sizeof(Integer) == sizeof(int)) {  // NOLINT: implicit
    static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(Count));
  }
  explicit operator bool() const { return numbers_ != nullptr; }
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

// What is sent, or received, and where it lies.
struct Side {
  void* buffer = nullptr;  // never written where it is what is sent
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Numbers counts, displacements;  // v-collectives: instead of count
};

struct MpiCall {
  Function function;
  MPI_Comm communicator;
  Side send, receive;
  int root = 0;
  MPI_Op operation = MPI_OP_NULL;
};

// The MPI library's own call with the caller's arguments; not kept beyond the call.
class VendorCall {
 public:
  template <class F>
  VendorCall(F& function)  // NOLINT: implicit, as in std::function_ref
      : object_(&function), run_([](void* object) { return (*static_cast<F*>(object))(); }) {}
  int operator()() const { return run_(object_); }

 private:
  void* object_;
  int (*run_)(void*);
};

// Runs the call one way or the other, counts it, and returns MPI's code.
int run(const MpiCall& call, VendorCall vendor);

}  // namespace quadrille::mpi_face
