/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_work WORK STEPS: the ranks share WORK million steps of a generator of random numbers in equal parts, cut by STEPS pairs of an
   allreduce of 8 B and an alltoall of 256 B. The work is counted and not timed, so together the ranks compute as long whatever their
   number. Prints the seconds of the loop on the slowest rank ("seconds S"). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { block = 256 };

static uint64_t work(uint64_t state, long steps) {
  long i;
  for (i = 0; i < steps; ++i) state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

int main(int argc, char** argv) {
  int rank, ranks, turn;
  uint64_t state, sum;
  double begin, mine, slowest;
  char *in, *out;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || atol(argv[1]) < 1 || atoi(argv[2]) < 1) return fprintf(stderr, "usage: shared_work WORK STEPS\n"), 2;
  const long share = atol(argv[1]) * 1000000 / atoi(argv[2]) / ranks;
  in = calloc((size_t)ranks, block), out = calloc((size_t)ranks, block);
  state = (uint64_t)rank + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (turn = 0; turn < atoi(argv[2]); ++turn) {
    state = work(state, share);
    MPI_Allreduce(&state, &sum, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Alltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD);
  }
  mine = MPI_Wtime() - begin;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("result %llu\nseconds %.3f\n", (unsigned long long)sum, slowest);
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
