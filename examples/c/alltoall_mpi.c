// SPDX-License-Identifier: BSD-3-Clause
// An MPI program in C: mpicc alltoall_mpi.c $(pkg-config --cflags --libs quadrille-openmpi)    (or quadrille-mpich)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille/mpi_c.h"  // quadrille_over; includes quadrille/c.h, which has everything else

static void check(int error) {
  if (!error) return;
  fprintf(stderr, "%s\n", quadrille_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  quadrille_group ranks;
  quadrille_plan exchange;
  int64_t me, p;
  check(quadrille_over(MPI_COMM_WORLD, &ranks));
  check(quadrille_group_rank(ranks, &me));
  check(quadrille_group_size(ranks, &p));

  int* input = malloc(sizeof(int) * (size_t)p);
  int* output = malloc(sizeof(int) * (size_t)p);
  for (int to = 0; to < p; ++to) input[to] = 100 * (int)me + to;  // the last two digits are the receiver

  check(quadrille_plan_alltoall(ranks, 1, sizeof(int), NULL, &exchange));  // 1 element for each rank
  check(quadrille_execute(exchange, input, output));                       // as often as you like

  printf("rank %d got %03d .. %03d\n", (int)me, output[0], output[p - 1]);
  check(quadrille_plan_free(&exchange));
  check(quadrille_group_free(&ranks));
  free(input);
  free(output);
  MPI_Finalize();
}
