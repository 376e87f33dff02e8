/* SPDX-License-Identifier: BSD-3-Clause */
/* late SECONDS: the ranks sleep before MPI_Finalize. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  sleep((unsigned)atoi(argc > 1 ? argv[1] : "1"));
  MPI_Finalize();
  return 0;
}
