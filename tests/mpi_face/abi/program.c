/* SPDX-License-Identifier: BSD-3-Clause
   Calls collectives through the standard ABI. With an argument, calls none. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** words) {
  char in[] = "what is sent", out[sizeof in] = "";
  int good = MPI_Init(&count, &words) == MPI_SUCCESS;
  if (count == 1) {
    good =
        good && MPI_Alltoall(in, sizeof in, MPI_BYTE, out, sizeof out, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS && !strcmp(in, out);
    memset(out, 0, sizeof out);
    good = good && MPI_Alltoall_c(in, sizeof in, MPI_BYTE, out, sizeof out, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS &&
           !strcmp(in, out);
    good = good && MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, sizeof out, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS;
    good = good && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && MPI_Barrier(MPI_COMM_NULL) == 5;
  }
  MPI_Finalize();
  puts(good ? "all as expected" : "wrong");
  return !good;
}
