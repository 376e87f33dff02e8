/* SPDX-License-Identifier: BSD-3-Clause
   guests ROUNDS [AHEAD]: gathers and scatters on rows and columns of the ranks, on which nothing else is called; all ranks meet in
   barriers of MPI_COMM_WORLD. With AHEAD some ranks call the gathers of a round before its barrier, and others after it, on
   the same communicators. Checks all values. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { times = 40 };

static int bad, me;

static void expect(int good) {
  if (!good && bad++ < 5) printf("rank %d: a block is wrong\n", me);
}

static void gathers(MPI_Comm comm, int round, int to) {
  int rank, size, i, j, mine[2], all[2 * 64], counts[64], places[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (j = 0; j < size; ++j) counts[j] = (j + round) % 3, places[j] = 2 * j;
  for (i = 0; i < times; ++i) {
    const int root = to < 0 ? (i + round) % size : to;
    mine[0] = 1000 * me + i, mine[1] = round;
    MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, root, comm);
    for (j = 0; j < size && rank == root; ++j) {
      if (counts[j] > 0) expect(all[2 * j] % 1000 == i), all[2 * j] += j;
      if (counts[j] > 1) expect(all[2 * j + 1] == round);
    }
    if (to >= 0) continue;
    MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], MPI_INT, root, comm);
    if (counts[rank] > 0) expect(mine[0] == 1000 * me + i + rank);
    if (counts[rank] > 1) expect(mine[1] == round);
  }
}

int main(int argc, char** argv) {
  int size, round, rounds, all = 0;
  MPI_Comm row, column, others;
  if (argc < 2) return 2;
  rounds = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, me / 2, me, &row);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &column);
  MPI_Comm_dup(MPI_COMM_WORLD, &others);
  MPI_Comm_set_name(row, "guests"), MPI_Comm_set_name(column, "guests"), MPI_Comm_set_name(others, "others");
  for (round = 0; round < rounds; ++round) {
    if (argc > 2 && me != 0) gathers(others, round, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2 && me == 0) gathers(others, round, 0);
    gathers(row, round, -1);
    gathers(column, round, -1);
  }
  MPI_Comm_free(&row), MPI_Comm_free(&column), MPI_Comm_free(&others);
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) puts(all ? "wrong" : "all as expected");
  MPI_Finalize();
  return bad ? 1 : 0;
}
