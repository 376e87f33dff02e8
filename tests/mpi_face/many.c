/* SPDX-License-Identifier: BSD-3-Clause
   many [SECONDS]: equal calls for half a second, equally many on all ranks: enough for candidates to race during the run. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.5;
  char in[512] = {0}, out[512];
  double begin;
  int go_on = 1, i;
  MPI_Init(NULL, NULL);
  begin = MPI_Wtime();
  while (go_on) {
    for (i = 0; i < 500; ++i) MPI_Alltoall(in, 8, MPI_CHAR, out, 8, MPI_CHAR, MPI_COMM_WORLD);
    go_on = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
