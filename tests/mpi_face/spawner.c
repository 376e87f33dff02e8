/* SPDX-License-Identifier: BSD-3-Clause */
/* spawner QUADRILLE FILE: two ranks spawn two others, which run under `quadrille wrap --report=summary:FILE`. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char option[1000];
  char* arguments[] = {"wrap", option, argv[0], NULL};
  MPI_Comm parent, children;
  int rank, in = 1, out[16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL && argc == 3) {
    snprintf(option, sizeof option, "--report=summary:%s", argv[2]);
    MPI_Comm_spawn(argv[1], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
  } else {
    MPI_Allgather(&in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  if (rank == 0 && argc == 3) puts("all as expected");
  return 0;
}
