/* SPDX-License-Identifier: BSD-3-Clause
   guests ROUNDS [ahead|shared]: gathers and scatters on communicators on which nothing else is called; all ranks meet in calls on
   MPI_COMM_WORLD. The communicators are rows and columns of the ranks. `ahead`: some ranks call the gathers of a round before its
   barrier, and others after it, on the same communicators. `shared`: instead of rows and columns there are several communicators
   with the same, with some of the same, and with reversed ranks; some ranks are ahead; some
   communicators are freed and made again. Checks all values. */
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

/* Rank 0 calls these without waiting for the others. */
static void scatters(MPI_Comm comm) {
  int rank, size, i, j, mine, all[64], counts[64], places[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (j = 0; j < size; ++j) counts[j] = 1, places[j] = j;
  for (i = 0; i < times; ++i) {
    for (j = 0; j < size; ++j) all[j] = 1000 * i + j;
    MPI_Scatterv(all, counts, places, MPI_INT, &mine, 1, MPI_INT, 0, comm);
    expect(mine == 1000 * i + rank);
  }
}

/* With QUADRILLE_ADMIT=1 the ranks meet in the second call of a kind. */
static void meet(void) {
  static int count = 0;
  int i, in[128] = {1}, out[128];
  ++count;
  for (i = 0; i < 2; ++i) MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

enum { copies = 3, shared_comms = copies + 5 };

static void make(int which, MPI_Comm* comm) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  switch (which - copies) {
    case 0: MPI_Comm_split(MPI_COMM_WORLD, 0, -me, comm), MPI_Comm_set_name(*comm, "reversed"); return;
    case 1:
    case 2: MPI_Comm_split(MPI_COMM_WORLD, me < size - 1 ? 0 : MPI_UNDEFINED, me, comm); break;
    case 3: MPI_Comm_split(MPI_COMM_WORLD, me > 0 ? 0 : MPI_UNDEFINED, -me, comm); break;
    case 4: MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, comm); break;
    default: MPI_Comm_dup(MPI_COMM_WORLD, comm), MPI_Comm_set_name(*comm, "copies"); return;
  }
  if (*comm != MPI_COMM_NULL) MPI_Comm_set_name(*comm, which - copies < 3 ? "lower" : which - copies == 3 ? "upper" : "pair");
}

/* Two communicators with the same ranks, and with as many calls on the one that comes first on rank 0 as on the one that comes
   first on the others: rank 0 is ahead on `first`. */
static void name_different_ones(void) {
  int round;
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first), MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Comm_set_name(first, "first"), MPI_Comm_set_name(second, "second");
  gathers(first, 1, 0);
  meet();
  if (me == 0) scatters(first);
  gathers(second, 1, 0), gathers(second, 1, 0);
  meet();
  if (me != 0) scatters(first);
  for (round = 0; round < 2; ++round) {
    scatters(first), gathers(first, 1, 0), gathers(second, 1, 0), scatters(second);
    meet();
  }
  scatters(first), gathers(second, 1, 0), scatters(second);
  MPI_Comm_free(&first), MPI_Comm_free(&second);
}

static void share(int rounds) {
  MPI_Comm comms[shared_comms];
  int round, i;
  for (i = 0; i < shared_comms; ++i) make(i, &comms[i]);
  for (round = 0; round < rounds; ++round) {
    MPI_Comm ahead = round % 2 ? comms[round % shared_comms] : MPI_COMM_NULL;
    int rank = 0;
    if (ahead != MPI_COMM_NULL) MPI_Comm_rank(ahead, &rank);
    if (ahead != MPI_COMM_NULL && rank > 0) gathers(ahead, round, 0);
    meet();
    if (ahead != MPI_COMM_NULL && rank == 0) gathers(ahead, round, 0);
    for (i = 0; i < shared_comms; ++i)
      if (comms[i] != MPI_COMM_NULL) gathers(comms[i], round, -1);
    if (round % 3 < 2) continue;
    for (i = round % shared_comms; i < shared_comms; i += 3)
      if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
    for (i = round % shared_comms; i < shared_comms; i += 3) make(i, &comms[i]);
  }
  for (i = 0; i < shared_comms; ++i)
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
}

static void rows_and_columns(int rounds, int is_ahead) {
  int round;
  MPI_Comm row, column, others;
  MPI_Comm_split(MPI_COMM_WORLD, me / 2, me, &row);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &column);
  MPI_Comm_dup(MPI_COMM_WORLD, &others);
  MPI_Comm_set_name(row, "guests"), MPI_Comm_set_name(column, "guests"), MPI_Comm_set_name(others, "others");
  for (round = 0; round < rounds; ++round) {
    if (is_ahead && me != 0) gathers(others, round, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_ahead && me == 0) gathers(others, round, 0);
    gathers(row, round, -1);
    gathers(column, round, -1);
  }
  MPI_Comm_free(&row), MPI_Comm_free(&column), MPI_Comm_free(&others);
}

int main(int argc, char** argv) {
  int rounds, all = 0;
  if (argc < 2) return 2;
  rounds = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (argc > 2 && argv[2][0] == 's')
    name_different_ones(), share(rounds);
  else
    rows_and_columns(rounds, argc > 2);
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) puts(all ? "wrong" : "all as expected");
  MPI_Finalize();
  return bad ? 1 : 0;
}
