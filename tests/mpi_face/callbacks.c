/* SPDX-License-Identifier: BSD-3-Clause */
/* callbacks: calls collectives while MPI_Finalize deletes an attribute of MPI_COMM_SELF, as libraries do. Odd ranks alone have called
   a collective before the attribute was set. */
#include <mpi.h>
#include <stdio.h>

static int rank, ranks, wrong;

static void reduce(int calls) {
  int i, in, out;
  for (i = 0; i < calls; ++i) {
    in = rank + i, out = -1;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong |= out != ranks * (ranks - 1) / 2 + ranks * i;
  }
}

static int at_end(MPI_Comm self, int key, void* value, void* state) {
  (void)self, (void)key, (void)value, (void)state;
  reduce(300);
  if (rank == 0 && !wrong) puts("all as expected");
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Comm half;
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2) MPI_Barrier(half);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free(&half);
  reduce(100);
  MPI_Finalize();
  return wrong;
}
