/* SPDX-License-Identifier: BSD-3-Clause */
/* several REPETITIONS BYTES: calls several collectives by turns, with blocks or vectors of BYTES. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int words, char** word) {
  const int repetitions = words > 1 ? atoi(word[1]) : 10, bytes = words > 2 ? atoi(word[2]) : 64;
  int ranks, me, i, k, *counts, *places;
  double *in, *out;
  MPI_Init(&words, &word);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  in = calloc((size_t)ranks, (size_t)bytes);
  out = calloc((size_t)ranks, (size_t)bytes);
  counts = malloc(sizeof(int) * (size_t)ranks);
  places = malloc(sizeof(int) * (size_t)ranks);
  for (i = 0; i < ranks; ++i) counts[i] = bytes, places[i] = i * bytes;
  for (k = 0; k < repetitions; ++k) {
    MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Reduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Alltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(in, bytes, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  if (me == 0) puts("all as expected");
  free(in), free(out), free(counts), free(places);
  MPI_Finalize();
  return 0;
}
