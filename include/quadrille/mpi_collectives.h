/* SPDX-License-Identifier: BSD-3-Clause
   MPI's blocking collectives, run by Quadrille where that is faster, with the same arguments, meaning and errors as MPI's own. To
   port a program, replace MPI_Alltoall by quadrille_alltoall (and so on) in an editor, and link with libquadrille-openmpi or
   libquadrille-mpich, depending on the MPI library that the program uses. For C and C++; see docs/drop-in.md. */
#pragma once

#include <mpi.h>

#include "quadrille/mpi_package.h"

#ifdef __cplusplus
#define QUADRILLE_AS(function) decltype(function)
extern "C" {
#else
#define QUADRILLE_AS(function) __typeof__(function)
#endif

QUADRILLE_AS(MPI_Barrier) quadrille_barrier;
QUADRILLE_AS(MPI_Bcast) quadrille_bcast;
QUADRILLE_AS(MPI_Reduce) quadrille_reduce;
QUADRILLE_AS(MPI_Allreduce) quadrille_allreduce;
QUADRILLE_AS(MPI_Reduce_scatter) quadrille_reduce_scatter;
QUADRILLE_AS(MPI_Reduce_scatter_block) quadrille_reduce_scatter_block;
QUADRILLE_AS(MPI_Scan) quadrille_scan;
QUADRILLE_AS(MPI_Exscan) quadrille_exscan;
QUADRILLE_AS(MPI_Gather) quadrille_gather;
QUADRILLE_AS(MPI_Gatherv) quadrille_gatherv;
QUADRILLE_AS(MPI_Scatter) quadrille_scatter;
QUADRILLE_AS(MPI_Scatterv) quadrille_scatterv;
QUADRILLE_AS(MPI_Allgather) quadrille_allgather;
QUADRILLE_AS(MPI_Allgatherv) quadrille_allgatherv;
QUADRILLE_AS(MPI_Alltoall) quadrille_alltoall;
QUADRILLE_AS(MPI_Alltoallv) quadrille_alltoallv;
QUADRILLE_AS(MPI_Alltoallw) quadrille_alltoallw;
QUADRILLE_AS(MPI_Neighbor_allgather) quadrille_neighbor_allgather;
QUADRILLE_AS(MPI_Neighbor_allgatherv) quadrille_neighbor_allgatherv;
QUADRILLE_AS(MPI_Neighbor_alltoall) quadrille_neighbor_alltoall;
QUADRILLE_AS(MPI_Neighbor_alltoallv) quadrille_neighbor_alltoallv;
QUADRILLE_AS(MPI_Neighbor_alltoallw) quadrille_neighbor_alltoallw;

/* With counts of type MPI_Count, where the MPI library has them (MPI 4). */
#if MPI_VERSION >= 4
QUADRILLE_AS(MPI_Bcast_c) quadrille_bcast_c;
QUADRILLE_AS(MPI_Reduce_c) quadrille_reduce_c;
QUADRILLE_AS(MPI_Allreduce_c) quadrille_allreduce_c;
QUADRILLE_AS(MPI_Reduce_scatter_c) quadrille_reduce_scatter_c;
QUADRILLE_AS(MPI_Reduce_scatter_block_c) quadrille_reduce_scatter_block_c;
QUADRILLE_AS(MPI_Scan_c) quadrille_scan_c;
QUADRILLE_AS(MPI_Exscan_c) quadrille_exscan_c;
QUADRILLE_AS(MPI_Gather_c) quadrille_gather_c;
QUADRILLE_AS(MPI_Gatherv_c) quadrille_gatherv_c;
QUADRILLE_AS(MPI_Scatter_c) quadrille_scatter_c;
QUADRILLE_AS(MPI_Scatterv_c) quadrille_scatterv_c;
QUADRILLE_AS(MPI_Allgather_c) quadrille_allgather_c;
QUADRILLE_AS(MPI_Allgatherv_c) quadrille_allgatherv_c;
QUADRILLE_AS(MPI_Alltoall_c) quadrille_alltoall_c;
QUADRILLE_AS(MPI_Alltoallv_c) quadrille_alltoallv_c;
QUADRILLE_AS(MPI_Alltoallw_c) quadrille_alltoallw_c;
QUADRILLE_AS(MPI_Neighbor_allgather_c) quadrille_neighbor_allgather_c;
QUADRILLE_AS(MPI_Neighbor_allgatherv_c) quadrille_neighbor_allgatherv_c;
QUADRILLE_AS(MPI_Neighbor_alltoall_c) quadrille_neighbor_alltoall_c;
QUADRILLE_AS(MPI_Neighbor_alltoallv_c) quadrille_neighbor_alltoallv_c;
QUADRILLE_AS(MPI_Neighbor_alltoallw_c) quadrille_neighbor_alltoallw_c;
#endif

#undef QUADRILLE_AS
#ifdef __cplusplus
}
#endif
