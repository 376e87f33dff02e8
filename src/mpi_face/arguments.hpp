// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of MPI's collectives mean. There is one call_of() for each blocking collective; counts may be of type int or
// MPI_Count.
#pragma once

#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

template <Function function>
struct Of {};

// Side has no const, so that send and receive sides have one type; a send buffer is never written.
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

}  // namespace quadrille::mpi_face
