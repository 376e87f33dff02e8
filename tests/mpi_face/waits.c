/* SPDX-License-Identifier: BSD-3-Clause */
/* waits messages|dear|hang: rank 0 waits for rank 1, which sleeps: in 10 MPI_Sendrecv of 50 ms, in 8 alltoalls of 100 ms, or for a
   minute in an allreduce. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* With blocks of this size, the ranks meet in the fourth call. */
enum { most = 8, block = 1 << 18 };

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  static char in[most * block], out[most * block];
  int rank, ranks, i, one = 1, sum = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most) return 1;
  for (i = 0; strcmp(what, "messages") == 0 && i < 10; ++i) {
    if (rank == 1) usleep(50000);
    MPI_Sendrecv(in, 8, MPI_CHAR, (rank + 1) % ranks, 0, out, 8, MPI_CHAR, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(out, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(in, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (i = 0; strcmp(what, "dear") == 0 && i < 8; ++i) {
    if (rank == 1) usleep(100000);
    MPI_Alltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (strcmp(what, "hang") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) sleep(60);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  puts("all as expected");
  return 0;
}
