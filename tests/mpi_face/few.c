/* SPDX-License-Identifier: BSD-3-Clause */
/* Only ranks 0 and 1 call a collective. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, one = 1, sum = 0;
  MPI_Comm some;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &some);
  if (rank < 2) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, some);
  if (rank < 2 && sum != 2) return 1;
  MPI_Finalize();
  if (rank == 0) puts("all as expected");
  return 0;
}
