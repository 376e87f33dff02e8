// SPDX-License-Identifier: BSD-3-Clause
// The entry points quadrille_barrier ... quadrille_alltoallw, for counts of type int and of type MPI_Count. Each states what its
// arguments mean; run() does the rest.
#include "mpi_face/call.hpp"
#include "quadrille/mpi_collectives.h"

namespace quadrille::mpi_face {
namespace {

// Side has no const, so that send and receive sides have one type; a send buffer is never written.
Side plain(const void* buffer, Count count, MPI_Datatype type) { return {const_cast<void*>(buffer), count, type, {}, {}}; }
Side several(const void* buffer, Numbers counts, Numbers displacements, MPI_Datatype type) {
  return {const_cast<void*>(buffer), 0, type, counts, displacements};
}

}  // namespace
}  // namespace quadrille::mpi_face

using namespace quadrille::mpi_face;

// In the function bodies, `vendor` calls MPI's own function of the same form.
#define QUADRILLE_RUN(function, vendor_function, arguments, ...) \
  auto vendor = [&] { return vendor_function arguments; };       \
  return run(MpiCall{Function::function __VA_OPT__(, ) __VA_ARGS__}, vendor)

extern "C" {

int quadrille_barrier(MPI_Comm comm) { QUADRILLE_RUN(Barrier, PMPI_Barrier, (comm), comm); }

// S: suffix of the function's name, C: type of the counts, D: type of the displacements.
#define QUADRILLE_CALLS(S, C, D)                                                                                                   \
  int quadrille_bcast##S(void* buffer, C count, MPI_Datatype type, int root, MPI_Comm comm) {                                      \
    QUADRILLE_RUN(Bcast, PMPI_Bcast##S, (buffer, count, type, root, comm), comm, plain(buffer, count, type),                       \
                  plain(buffer, count, type), root);                                                                               \
  }                                                                                                                                \
  int quadrille_reduce##S(const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {             \
    QUADRILLE_RUN(Reduce, PMPI_Reduce##S, (in, out, count, type, op, root, comm), comm, plain(in, count, type),                    \
                  plain(out, count, type), root, op);                                                                              \
  }                                                                                                                                \
  int quadrille_allreduce##S(const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {                    \
    QUADRILLE_RUN(Allreduce, PMPI_Allreduce##S, (in, out, count, type, op, comm), comm, plain(in, count, type),                    \
                  plain(out, count, type), 0, op);                                                                                 \
  }                                                                                                                                \
  int quadrille_reduce_scatter_block##S(const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {         \
    QUADRILLE_RUN(Reduce_scatter_block, PMPI_Reduce_scatter_block##S, (in, out, count, type, op, comm), comm,                      \
                  plain(in, count, type), plain(out, count, type), 0, op);                                                         \
  }                                                                                                                                \
  int quadrille_reduce_scatter##S(const void* in, void* out, const C counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {      \
    QUADRILLE_RUN(Reduce_scatter, PMPI_Reduce_scatter##S, (in, out, counts, type, op, comm), comm, several(in, counts, {}, type),  \
                  plain(out, 0, type), 0, op);                                                                                     \
  }                                                                                                                                \
  int quadrille_scan##S(const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {                         \
    QUADRILLE_RUN(Scan, PMPI_Scan##S, (in, out, count, type, op, comm), comm, plain(in, count, type), plain(out, count, type), 0,  \
                  op);                                                                                                             \
  }                                                                                                                                \
  int quadrille_exscan##S(const void* in, void* out, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {                       \
    QUADRILLE_RUN(Exscan, PMPI_Exscan##S, (in, out, count, type, op, comm), comm, plain(in, count, type), plain(out, count, type), \
                  0, op);                                                                                                          \
  }                                                                                                                                \
  int quadrille_gather##S(const void* in, C in_count, MPI_Datatype in_type, void* out, C out_count, MPI_Datatype out_type,         \
                          int root, MPI_Comm comm) {                                                                               \
    QUADRILLE_RUN(Gather, PMPI_Gather##S, (in, in_count, in_type, out, out_count, out_type, root, comm), comm,                     \
                  plain(in, in_count, in_type), plain(out, out_count, out_type), root);                                            \
  }                                                                                                                                \
  int quadrille_gatherv##S(const void* in, C in_count, MPI_Datatype in_type, void* out, const C counts[], const D places[],        \
                           MPI_Datatype out_type, int root, MPI_Comm comm) {                                                       \
    QUADRILLE_RUN(Gatherv, PMPI_Gatherv##S, (in, in_count, in_type, out, counts, places, out_type, root, comm), comm,              \
                  plain(in, in_count, in_type), several(out, counts, places, out_type), root);                                     \
  }                                                                                                                                \
  int quadrille_scatter##S(const void* in, C in_count, MPI_Datatype in_type, void* out, C out_count, MPI_Datatype out_type,        \
                           int root, MPI_Comm comm) {                                                                              \
    QUADRILLE_RUN(Scatter, PMPI_Scatter##S, (in, in_count, in_type, out, out_count, out_type, root, comm), comm,                   \
                  plain(in, in_count, in_type), plain(out, out_count, out_type), root);                                            \
  }                                                                                                                                \
  int quadrille_scatterv##S(const void* in, const C counts[], const D places[], MPI_Datatype in_type, void* out, C out_count,      \
                            MPI_Datatype out_type, int root, MPI_Comm comm) {                                                      \
    QUADRILLE_RUN(Scatterv, PMPI_Scatterv##S, (in, counts, places, in_type, out, out_count, out_type, root, comm), comm,           \
                  several(in, counts, places, in_type), plain(out, out_count, out_type), root);                                    \
  }                                                                                                                                \
  int quadrille_allgather##S(const void* in, C in_count, MPI_Datatype in_type, void* out, C out_count, MPI_Datatype out_type,      \
                             MPI_Comm comm) {                                                                                      \
    QUADRILLE_RUN(Allgather, PMPI_Allgather##S, (in, in_count, in_type, out, out_count, out_type, comm), comm,                     \
                  plain(in, in_count, in_type), plain(out, out_count, out_type));                                                  \
  }                                                                                                                                \
  int quadrille_allgatherv##S(const void* in, C in_count, MPI_Datatype in_type, void* out, const C counts[], const D places[],     \
                              MPI_Datatype out_type, MPI_Comm comm) {                                                              \
    QUADRILLE_RUN(Allgatherv, PMPI_Allgatherv##S, (in, in_count, in_type, out, counts, places, out_type, comm), comm,              \
                  plain(in, in_count, in_type), several(out, counts, places, out_type));                                           \
  }                                                                                                                                \
  int quadrille_alltoall##S(const void* in, C in_count, MPI_Datatype in_type, void* out, C out_count, MPI_Datatype out_type,       \
                            MPI_Comm comm) {                                                                                       \
    QUADRILLE_RUN(Alltoall, PMPI_Alltoall##S, (in, in_count, in_type, out, out_count, out_type, comm), comm,                       \
                  plain(in, in_count, in_type), plain(out, out_count, out_type));                                                  \
  }                                                                                                                                \
  int quadrille_alltoallv##S(const void* in, const C in_counts[], const D in_places[], MPI_Datatype in_type, void* out,            \
                             const C out_counts[], const D out_places[], MPI_Datatype out_type, MPI_Comm comm) {                   \
    QUADRILLE_RUN(Alltoallv, PMPI_Alltoallv##S, (in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm),  \
                  comm, several(in, in_counts, in_places, in_type), several(out, out_counts, out_places, out_type));               \
  }                                                                                                                                \
  int quadrille_alltoallw##S(const void* in, const C in_counts[], const D in_places[], const MPI_Datatype in_types[], void* out,   \
                             const C out_counts[], const D out_places[], const MPI_Datatype out_types[], MPI_Comm comm) {          \
    QUADRILLE_RUN(Alltoallw, PMPI_Alltoallw##S,                                                                                    \
                  (in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm), comm);                       \
  }

QUADRILLE_CALLS(, int, int)
#if MPI_VERSION >= 4
QUADRILLE_CALLS(_c, MPI_Count, MPI_Aint)
#endif
}
