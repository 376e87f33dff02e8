/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors: 1,500 calls of alltoallv, each with other counts, in an order in which sums do not only grow. */
#include <mpi.h>
#include <stdio.h>

enum { most = 16, vectors = 1500 };

int main(int argc, char** argv) {
  static char in[most * vectors], out[most * vectors];
  int counts[most], places[most], ranks, i, k;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most) return 1;
  for (i = 0; i < vectors; ++i) {
    for (k = 0; k < ranks; ++k) counts[k] = i * 7 % vectors, places[k] = k * vectors;
    MPI_Alltoallv(in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  puts("all as expected");
  return 0;
}
