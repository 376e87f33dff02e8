/* SPDX-License-Identifier: BSD-3-Clause
   The parts of MPI 5.0's standard ABI (its chapter on the ABI) that the drop-in and its test need: types, constants, and the
   collectives. The header of a real MPI library has all of it. */
#ifndef QUADRILLE_TEST_ABI_MPI_H
#define QUADRILLE_TEST_ABI_MPI_H
#include <stdint.h>

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

/* Handles are pointers that are never dereferenced; small numbers are the predefined handles. */
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_IN_PLACE ((void*)1)
#define MPI_SUCCESS 0

#ifdef __cplusplus
extern "C" {
#endif

#define BOTH(name, arguments) \
  int MPI_##name arguments;   \
  int PMPI_##name arguments;

BOTH(Init, (int*, char***))
BOTH(Finalize, (void))
BOTH(Abi_get_version, (int*, int*))
BOTH(Get_library_version, (char*, int*))

/* Each collective in three forms: blocking, nonblocking and persistent. C: type of counts, D: type of displacements, E: the form's
   additional arguments. */
#define ARGUMENTS_Bcast(C, D, E) (void*, C, MPI_Datatype, int, MPI_Comm E)
#define ARGUMENTS_Reduce(C, D, E) (const void*, void*, C, MPI_Datatype, MPI_Op, int, MPI_Comm E)
#define ARGUMENTS_Allreduce(C, D, E) (const void*, void*, C, MPI_Datatype, MPI_Op, MPI_Comm E)
#define ARGUMENTS_Reduce_scatter(C, D, E) (const void*, void*, const C*, MPI_Datatype, MPI_Op, MPI_Comm E)
#define ARGUMENTS_Gather(C, D, E) (const void*, C, MPI_Datatype, void*, C, MPI_Datatype, int, MPI_Comm E)
#define ARGUMENTS_Gatherv(C, D, E) (const void*, C, MPI_Datatype, void*, const C*, const D*, MPI_Datatype, int, MPI_Comm E)
#define ARGUMENTS_Scatterv(C, D, E) (const void*, const C*, const D*, MPI_Datatype, void*, C, MPI_Datatype, int, MPI_Comm E)
#define ARGUMENTS_Allgather(C, D, E) (const void*, C, MPI_Datatype, void*, C, MPI_Datatype, MPI_Comm E)
#define ARGUMENTS_Allgatherv(C, D, E) (const void*, C, MPI_Datatype, void*, const C*, const D*, MPI_Datatype, MPI_Comm E)
#define ARGUMENTS_Alltoallv(C, D, E) \
  (const void*, const C*, const D*, MPI_Datatype, void*, const C*, const D*, MPI_Datatype, MPI_Comm E)
#define ARGUMENTS_Alltoallw(C, D, E) \
  (const void*, const C*, const D*, const MPI_Datatype*, void*, const C*, const D*, const MPI_Datatype*, MPI_Comm E)

#define NOTHING
#define REQUEST , MPI_Request*
#define INFO_REQUEST , MPI_Info, MPI_Request*
#define FORMS(blocking, nonblocking, like, D)                           \
  BOTH(blocking, ARGUMENTS_##like(int, D, NOTHING))                     \
  BOTH(blocking##_c, ARGUMENTS_##like(MPI_Count, MPI_Aint, NOTHING))    \
  BOTH(nonblocking, ARGUMENTS_##like(int, D, REQUEST))                  \
  BOTH(nonblocking##_c, ARGUMENTS_##like(MPI_Count, MPI_Aint, REQUEST)) \
  BOTH(blocking##_init, ARGUMENTS_##like(int, D, INFO_REQUEST))         \
  BOTH(blocking##_init_c, ARGUMENTS_##like(MPI_Count, MPI_Aint, INFO_REQUEST))

BOTH(Barrier, (MPI_Comm))
BOTH(Ibarrier, (MPI_Comm REQUEST))
BOTH(Barrier_init, (MPI_Comm INFO_REQUEST))
FORMS(Bcast, Ibcast, Bcast, int)
FORMS(Reduce, Ireduce, Reduce, int)
FORMS(Allreduce, Iallreduce, Allreduce, int)
FORMS(Reduce_scatter, Ireduce_scatter, Reduce_scatter, int)
FORMS(Reduce_scatter_block, Ireduce_scatter_block, Allreduce, int)
FORMS(Scan, Iscan, Allreduce, int)
FORMS(Exscan, Iexscan, Allreduce, int)
FORMS(Gather, Igather, Gather, int)
FORMS(Gatherv, Igatherv, Gatherv, int)
FORMS(Scatter, Iscatter, Gather, int)
FORMS(Scatterv, Iscatterv, Scatterv, int)
FORMS(Allgather, Iallgather, Allgather, int)
FORMS(Allgatherv, Iallgatherv, Allgatherv, int)
FORMS(Alltoall, Ialltoall, Allgather, int)
FORMS(Alltoallv, Ialltoallv, Alltoallv, int)
FORMS(Alltoallw, Ialltoallw, Alltoallw, int)
FORMS(Neighbor_allgather, Ineighbor_allgather, Allgather, int)
FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, Allgatherv, int)
FORMS(Neighbor_alltoall, Ineighbor_alltoall, Allgather, int)
FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, Alltoallv, int)
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, Alltoallw, MPI_Aint)

#ifdef __cplusplus
}
#endif
#endif
