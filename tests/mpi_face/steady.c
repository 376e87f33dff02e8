/* SPDX-License-Identifier: BSD-3-Clause
   Calls that the drop-in may run, often enough for its plans to be made and tried: in place, derived types that have gaps or
   reorder bytes, different types on the two sides, counts that change in each call. Checks all values. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n, bad;

static void expect(const char* what, int good) {
  if (good) return;
  if (bad++ < 5) printf("rank %d: %s\n", me, what);
}

static void regular(int count, int turn) {
  int *in = malloc(sizeof(int) * count * n), *out = malloc(sizeof(int) * count * n), i, j, good = 1;
  for (i = 0; i < count * n; ++i) in[i] = 1000 * me + i + turn;
  MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == 1000 * j + me * count + i + turn;
  expect("alltoall", good);
  memcpy(out, in, sizeof(int) * count * n);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == 1000 * j + me * count + i + turn;
  expect("alltoall in place", good);
  MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == 1000 * j + i + turn;
  expect("allgather", good);
  memcpy(out + me * count, in, sizeof(int) * count);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == 1000 * j + i + turn;
  expect("allgather in place", good);
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < count; ++i) good = good && out[i] == n * (n - 1) / 2 * 1000 + n * (me * count + i + turn);
  expect("reduce_scatter_block", good);
  MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (i = 0; i < count; ++i) good = good && out[i] == 1000 * (n - 1) + i + turn;
  expect("allreduce", good);
  free(in), free(out);
}

static void floating(int count) {
  double* values = malloc(sizeof(double) * count);
  int i, good = 1;
  for (i = 0; i < count; ++i) values[i] = me + i;
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < count; ++i) good = good && values[i] == n * i + n * (n - 1) / 2;
  expect("allreduce in place", good);
  free(values);
}

/* Sends pairs whose second number comes first, with gaps of three numbers, and receives pairs of consecutive numbers. */
static void derived(int count, int turn) {
  int places[2] = {1, 0}, i, j, good = 1, *in = malloc(sizeof(int) * 3 * count * n), *out = malloc(sizeof(int) * 3 * count * n);
  MPI_Datatype swapped, apart;
  MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &swapped);
  MPI_Type_create_resized(swapped, 0, 3 * sizeof(int), &apart);
  MPI_Type_commit(&apart);
  for (i = 0; i < 3 * count * n; ++i) in[i] = 1000 * me + i + turn;
  MPI_Alltoall(in, count, apart, out, 2 * count, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) {
      const int first = 1000 * j + 3 * (me * count + i) + turn;
      good = good && out[2 * (j * count + i)] == first + 1 && out[2 * (j * count + i) + 1] == first;
    }
  expect("alltoall of swapped pairs", good);
  for (i = 0; i < 3 * count * n; ++i) out[i] = -7;
  MPI_Allgather(in, 2 * count, MPI_INT, out, count, apart, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) {
      const int* pair = out + 3 * (j * count + i);
      good = good && pair[1] == 1000 * j + 2 * i + turn && pair[0] == pair[1] + 1 && pair[2] == -7;
    }
  expect("allgather into swapped pairs with gaps", good);
  MPI_Type_free(&swapped), MPI_Type_free(&apart);
  free(in), free(out);
}

static void irregular(int count, int turn) {
  int *in = malloc(sizeof(int) * count * n), *out = malloc(sizeof(int) * count * n), i, j, good = 1;
  int counts[64], places[64];
  for (j = 0; j < n; ++j) counts[j] = turn % 7 == 3 ? 0 : (me + j + turn) % (count + 1), places[j] = j * count;
  for (i = 0; i < count * n; ++i) in[i] = 1000 * me + i + turn, out[i] = -7;
  MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < count; ++i) good = good && out[j * count + i] == (i < counts[j] ? 1000 * j + me * count + i + turn : -7);
  expect("alltoallv", good);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < counts[j]; ++i) good = good && out[j * count + i] == 1000 * me + j * count + i + turn;
  expect("alltoallv in place", good);
  free(in), free(out);
}

/* Gathers blocks of different lengths, which no rank but the root knows, as numbers into pairs with gaps; and scatters them. Every
   other time the root's own block stays where it is. */
static void rooted(int count, int turn) {
  const int root = turn / 2 % n, in_place = turn % 2, is_root = me == root;
  int *in = malloc(sizeof(int) * 2 * count), *all = malloc(sizeof(int) * 3 * count * n), counts[64], places[64], i, j, good = 1;
  MPI_Datatype pair, apart;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &apart);
  MPI_Type_commit(&apart);
  for (j = 0; j < n; ++j) counts[j] = turn % 7 == 3 ? 0 : (j + turn) % (count + 1), places[j] = j * count;
  for (i = 0; i < 3 * count * n; ++i) all[i] = -7;
  for (i = 0; i < 2 * count; ++i) in[i] = 1000 * me + i + turn;
  for (i = 0; i < 2 * counts[me] && is_root && in_place; ++i) all[3 * (me * count + i / 2) + i % 2] = in[i];
  MPI_Gatherv(is_root && in_place ? MPI_IN_PLACE : in, 2 * counts[me], MPI_INT, is_root ? all : NULL, is_root ? counts : NULL,
              is_root ? places : NULL, is_root ? apart : MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
  for (j = 0; j < n && is_root; ++j)
    for (i = 0; i < 3 * count; ++i)
      good = good && all[3 * j * count + i] == (i % 3 < 2 && i / 3 < counts[j] ? 1000 * j + i / 3 * 2 + i % 3 + turn : -7);
  expect("gatherv", good);
  memset(in, 0, sizeof(int) * 2 * count);
  MPI_Scatterv(is_root ? all : NULL, is_root ? counts : NULL, is_root ? places : NULL, is_root ? apart : MPI_DATATYPE_NULL,
               is_root && in_place ? MPI_IN_PLACE : in, 2 * counts[me], MPI_INT, root, MPI_COMM_WORLD);
  for (i = 0; i < 2 * count && !(is_root && in_place); ++i) good = good && in[i] == (i < 2 * counts[me] ? 1000 * me + i + turn : 0);
  expect("scatterv", good);
  MPI_Type_free(&pair), MPI_Type_free(&apart);
  free(in), free(all);
}

/* Describes the same data by different types, depending on the rank and the call. */
static void described_otherwise(int turn) {
  int in[4], *out = malloc(sizeof(int) * 4 * n), counts[64], places[64], i, j, good = 1;
  const int pairs = (me + turn) % 2;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (j = 0; j < n; ++j) counts[j] = pairs ? 2 : 4, places[j] = j * counts[j];
  for (i = 0; i < 4; ++i) in[i] = 1000 * me + i + turn;
  MPI_Allgatherv(in, 4, MPI_INT, out, counts, places, pairs ? pair : MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j)
    for (i = 0; i < 4; ++i) good = good && out[4 * j + i] == 1000 * j + i + turn;
  expect("allgatherv of pairs and numbers", good);
  MPI_Type_free(&pair);
  free(out);
}

/* A datatype with absolute addresses, used with MPI_BOTTOM. */
static void from_bottom(int turn) {
  int a = 1000 * me + turn, b = 7 * me, *out = malloc(sizeof(int) * 2 * n), lengths[2] = {1, 1}, j, good = 1;
  MPI_Aint places[2];
  MPI_Datatype both;
  MPI_Get_address(&a, places), MPI_Get_address(&b, places + 1);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
  MPI_Type_commit(&both);
  MPI_Allgather(MPI_BOTTOM, 1, both, out, 2, MPI_INT, MPI_COMM_WORLD);
  for (j = 0; j < n; ++j) good = good && out[2 * j] == 1000 * j + turn && out[2 * j + 1] == 7 * j;
  MPI_Bcast(MPI_BOTTOM, 1, both, turn % n, MPI_COMM_WORLD);
  good = good && a == 1000 * (turn % n) + turn && b == 7 * (turn % n);
  MPI_Gather(MPI_BOTTOM, 1, both, out, 2, MPI_INT, 0, MPI_COMM_SELF);
  good = good && out[0] == a && out[1] == b;
  expect("MPI_BOTTOM", good);
  MPI_Type_free(&both);
  free(out);
}

int main(void) {
  int turn, all = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (turn = 0; turn < 70; ++turn) {
    regular(3, turn), regular(2000, turn), floating(5), floating(3000), derived(2, turn), derived(700, turn);
    irregular(5, turn), irregular(turn % 2 ? 3000 : 40, turn);
    rooted(3, turn), rooted(turn % 2 ? 2000 : 30, turn);
    described_otherwise(turn), from_bottom(turn);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) puts(all ? "wrong" : "all as expected");
  MPI_Finalize();
  return bad ? 1 : 0;
}
