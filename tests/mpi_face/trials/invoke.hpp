// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives and some nonblocking ones, called with arguments in one common form.
#pragma once

#include <cstdio>
#include <stdexcept>

#include "values.hpp"

namespace quadrille::trials {

enum class Collective {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw
};
inline constexpr int collective_count = 17;

inline const char* name_of(Collective c) {
  static constexpr const char* names[] = {
      "barrier",   "bcast",      "reduce",   "allreduce", "reduce_scatter", "reduce_scatter_block",
      "scan",      "exscan",     "gather",   "gatherv",   "scatter",        "scatterv",
      "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
  return names[static_cast<int>(c)];
}

struct Half {  // the arguments of the send side or the receive side
  void* buffer = nullptr;
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<Count> counts, places;
  std::vector<MPI_Datatype> types;
};

struct Arguments {
  Half in, out;
  MPI_Op operation = MPI_OP_NULL;
  int root = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
};

template <class C, class D>
struct Numbers {
  std::vector<C> counts;
  std::vector<D> places;
  explicit Numbers(const Half& half)
      : counts(half.counts.begin(), half.counts.end()), places(half.places.begin(), half.places.end()) {}
};

// S: suffix of the function's name, C and D: types of counts and displacements, I and F: what a nonblocking form adds to its name
// and to its arguments.
#define TRIALS_CASE(c, ...) \
  case Collective::c:       \
    __VA_ARGS__;            \
    return
#define TRIALS_INVOKE(function, S, C, D)                                                                                         \
  inline void function(Collective collective, const Arguments& a) {                                                              \
    const Numbers<C, D> in(a.in), out(a.out);                                                                                    \
    const auto n = static_cast<C>(a.in.count), m = static_cast<C>(a.out.count);                                                  \
    switch (collective) {                                                                                                        \
      TRIALS_CASE(barrier, MPI_Barrier(a.communicator));                                                                         \
      TRIALS_CASE(bcast, MPI_Bcast##S(a.out.buffer, m, a.out.type, a.root, a.communicator));                                     \
      TRIALS_CASE(reduce, MPI_Reduce##S(a.in.buffer, a.out.buffer, m, a.out.type, a.operation, a.root, a.communicator));         \
      TRIALS_CASE(allreduce, MPI_Allreduce##S(a.in.buffer, a.out.buffer, m, a.out.type, a.operation, a.communicator));           \
      TRIALS_CASE(reduce_scatter,                                                                                                \
                  MPI_Reduce_scatter##S(a.in.buffer, a.out.buffer, out.counts.data(), a.out.type, a.operation, a.communicator)); \
      TRIALS_CASE(reduce_scatter_block,                                                                                          \
                  MPI_Reduce_scatter_block##S(a.in.buffer, a.out.buffer, m, a.out.type, a.operation, a.communicator));           \
      TRIALS_CASE(scan, MPI_Scan##S(a.in.buffer, a.out.buffer, m, a.out.type, a.operation, a.communicator));                     \
      TRIALS_CASE(exscan, MPI_Exscan##S(a.in.buffer, a.out.buffer, m, a.out.type, a.operation, a.communicator));                 \
      TRIALS_CASE(gather, MPI_Gather##S(a.in.buffer, n, a.in.type, a.out.buffer, m, a.out.type, a.root, a.communicator));        \
      TRIALS_CASE(gatherv, MPI_Gatherv##S(a.in.buffer, n, a.in.type, a.out.buffer, out.counts.data(), out.places.data(),         \
                                          a.out.type, a.root, a.communicator));                                                  \
      TRIALS_CASE(scatter, MPI_Scatter##S(a.in.buffer, n, a.in.type, a.out.buffer, m, a.out.type, a.root, a.communicator));      \
      TRIALS_CASE(scatterv, MPI_Scatterv##S(a.in.buffer, in.counts.data(), in.places.data(), a.in.type, a.out.buffer, m,         \
                                            a.out.type, a.root, a.communicator));                                                \
      TRIALS_CASE(allgather, MPI_Allgather##S(a.in.buffer, n, a.in.type, a.out.buffer, m, a.out.type, a.communicator));          \
      TRIALS_CASE(allgatherv, MPI_Allgatherv##S(a.in.buffer, n, a.in.type, a.out.buffer, out.counts.data(), out.places.data(),   \
                                                a.out.type, a.communicator));                                                    \
      TRIALS_CASE(alltoall, MPI_Alltoall##S(a.in.buffer, n, a.in.type, a.out.buffer, m, a.out.type, a.communicator));            \
      TRIALS_CASE(alltoallv, MPI_Alltoallv##S(a.in.buffer, in.counts.data(), in.places.data(), a.in.type, a.out.buffer,          \
                                              out.counts.data(), out.places.data(), a.out.type, a.communicator));                \
      TRIALS_CASE(alltoallw, MPI_Alltoallw##S(a.in.buffer, in.counts.data(), in.places.data(), a.in.types.data(), a.out.buffer,  \
                                              out.counts.data(), out.places.data(), a.out.types.data(), a.communicator));        \
    }                                                                                                                            \
  }

TRIALS_INVOKE(invoke, , int, int)
#if MPI_VERSION >= 4
TRIALS_INVOKE(invoke_large, _c, MPI_Count, MPI_Aint)
inline constexpr bool has_large = true;
#else
inline void invoke_large(Collective collective, const Arguments& arguments) { invoke(collective, arguments); }
inline constexpr bool has_large = false;
#endif

// True for collectives without arrays of counts, because such arrays would have to live until the call is complete.
inline bool has_nonblocking(Collective c) {
  return c == Collective::barrier || c == Collective::bcast || c == Collective::reduce || c == Collective::allreduce ||
         c == Collective::gather || c == Collective::scatter || c == Collective::allgather || c == Collective::alltoall;
}

inline MPI_Request start(Collective collective, const Arguments& a) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int n = static_cast<int>(a.in.count), m = static_cast<int>(a.out.count);
  const auto& [in, out, operation, root, communicator] = a;
  switch (collective) {
    case Collective::barrier: MPI_Ibarrier(communicator, &request); break;
    case Collective::bcast: MPI_Ibcast(out.buffer, m, out.type, root, communicator, &request); break;
    case Collective::reduce: MPI_Ireduce(in.buffer, out.buffer, m, out.type, operation, root, communicator, &request); break;
    case Collective::allreduce: MPI_Iallreduce(in.buffer, out.buffer, m, out.type, operation, communicator, &request); break;
    case Collective::gather: MPI_Igather(in.buffer, n, in.type, out.buffer, m, out.type, root, communicator, &request); break;
    case Collective::scatter: MPI_Iscatter(in.buffer, n, in.type, out.buffer, m, out.type, root, communicator, &request); break;
    case Collective::allgather: MPI_Iallgather(in.buffer, n, in.type, out.buffer, m, out.type, communicator, &request); break;
    default: MPI_Ialltoall(in.buffer, n, in.type, out.buffer, m, out.type, communicator, &request); break;
  }
  return request;
}

}  // namespace quadrille::trials
