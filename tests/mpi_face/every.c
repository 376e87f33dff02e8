/* SPDX-License-Identifier: BSD-3-Clause
   every SIZES TIMES: each collective that Quadrille runs, with blocks of 8, 16, 32 ... B (SIZES of them), TIMES times each, on
   MPI_COMM_WORLD. Checks all values. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n, bad, *in, *out, *counts, *places;

static void expect(const char* what, int count, int good) {
  if (!good && bad++ < 5) printf("rank %d: %s of %d numbers is wrong\n", me, what, count);
}

static int of(int from, int at, int turn) { return 1000 * from + at % 977 + turn; }
static int sum_to(int last, int at, int turn) { return 1000 * (last * (last + 1) / 2) + (last + 1) * (at % 977 + turn); }

static void moves(int count, int turn) {
  const int root = (turn + count) % 2 * (n - 1);
  int i, j, good = 1;
  for (i = 0; i < count * n; ++i) in[i] = of(me, i, turn);
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, me * count + i, turn);
  expect("alltoall", count, good);
  MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0, good = 1; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, i, turn);
  expect("allgather", count, good);
  memset(out, 0, sizeof(int) * (size_t)(count * n));
  MPI_Allgatherv(in, count, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (j = 0, good = 1; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, i, turn);
  expect("allgatherv", count, good);
  memset(out, 0, sizeof(int) * (size_t)(count * n));
  MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD);
  for (j = 0, good = 1; j < n && me == root; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, i, turn);
  expect("gather", count, good);
  MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == of(root, me * count + i, turn);
  expect("scatter", count, good);
  for (i = 0; i < count; ++i) out[i] = of(me, i, turn);
  MPI_Bcast(out, count, MPI_INT, root, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == of(root, i, turn);
  expect("bcast", count, good);
  memset(out, 0, sizeof(int) * (size_t)(count * n));
  MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (j = 0, good = 1; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, me * count + i, turn);
  expect("alltoallv", count, good);
  memset(out, 0, sizeof(int) * (size_t)(count * n));
  MPI_Gatherv(in, count, MPI_INT, out, counts, places, MPI_INT, root, MPI_COMM_WORLD);
  for (j = 0, good = 1; j < n && me == root; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == of(j, i, turn);
  expect("gatherv", count, good);
  MPI_Scatterv(in, counts, places, MPI_INT, out, count, MPI_INT, root, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == of(root, me * count + i, turn);
  expect("scatterv", count, good);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void sums(int count, int turn) {
  const int root = (turn + count) % 2 * (n - 1), last = n - 1;
  int i, good = 1;
  for (i = 0; i < count * n; ++i) in[i] = of(me, i, turn);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < count; ++i) good = good && out[i] == sum_to(last, i, turn);
  expect("allreduce", count, good);
  memset(out, 0, sizeof(int) * (size_t)count);
  MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count && me == root; ++i) good = good && out[i] == sum_to(last, i, turn);
  expect("reduce", count, good);
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == sum_to(last, me * count + i, turn);
  expect("reduce_scatter_block", count, good);
  memset(out, 0, sizeof(int) * (size_t)count);
  MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == sum_to(last, me * count + i, turn);
  expect("reduce_scatter", count, good);
  MPI_Scan(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count; ++i) good = good && out[i] == sum_to(me, i, turn);
  expect("scan", count, good);
  MPI_Exscan(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0, good = 1; i < count && me > 0; ++i) good = good && out[i] == sum_to(me - 1, i, turn);
  expect("exscan", count, good);
}

int main(int argc, char** argv) {
  int sizes, times, size, turn, i, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  sizes = argc > 2 ? atoi(argv[1]) : 4, times = argc > 2 ? atoi(argv[2]) : 4;
  in = calloc((size_t)n << (sizes + 1), sizeof(int)), out = calloc((size_t)n << (sizes + 1), sizeof(int));
  counts = calloc((size_t)n, sizeof(int)), places = calloc((size_t)n, sizeof(int));
  for (turn = 0; turn < times; ++turn)
    for (size = 0; size < sizes; ++size) {
      for (i = 0; i < n; ++i) counts[i] = 2 << size, places[i] = i * (2 << size);
      moves(2 << size, turn);
      sums(2 << size, turn);
    }
  MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf(all ? "%d values are wrong\n" : "all as expected\n", all);
  free(in), free(out), free(counts), free(places);
  MPI_Finalize();
  return all != 0;
}
