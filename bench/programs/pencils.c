/* SPDX-License-Identifier: BSD-3-Clause
   The communication of a transform in pencils: ranks in two rows exchange along rows and along columns, and add up a norm while
   sizes are collected by a nonblocking call. Usage, under mpirun with an even number of ranks: pencils [STEPS]. Its recording is the
   example of docs/projection.md. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { row_block = 256, column_block = 4096, size_block = 8, small_block = 64 };

static void compute(double seconds) {
  for (double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
  }
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const int steps = count > 1 ? atoi(arguments[1]) : 50;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (steps < 1 || ranks % 2 != 0) {
    fprintf(stderr, "usage: mpirun -n EVEN pencils [STEPS]\n");
    MPI_Finalize();
    return 2;
  }
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &column);
  char *given = calloc(ranks, column_block), *got = calloc(ranks, column_block);
  double norm = rank, sum = 0;
  for (int step = 0; step < steps; ++step) {
    compute(100e-6);
    MPI_Alltoall(given, row_block, MPI_BYTE, got, row_block, MPI_BYTE, row);
    compute(100e-6);
    MPI_Alltoall(given, column_block, MPI_BYTE, got, column_block, MPI_BYTE, column);
    MPI_Alltoall(given, small_block, MPI_BYTE, got, small_block, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Request sizes;
    MPI_Iallgather(given, size_block, MPI_BYTE, got, size_block, MPI_BYTE, MPI_COMM_WORLD, &sizes);
    compute(100e-6);
    MPI_Wait(&sizes, MPI_STATUS_IGNORE);
    MPI_Allreduce(&norm, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("norm %g\n", sum);
  free(given), free(got);
  MPI_Finalize();
  return 0;
}
