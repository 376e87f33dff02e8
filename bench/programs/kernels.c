/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives of programs that run on several hosts, without what the programs compute between them:
     pencils BYTES    a transpose of a 3-D array in rows and columns: alltoall on the communicators of a grid of the ranks
     sort BYTES       a sample sort: alltoall of counts, then alltoallv with skewed counts of BYTES on average
     sparse BYTES     alltoall of counts, then alltoallv with four neighbours
     gradients BYTES  a solver: two allreduces of a number, and an allgatherv
     allgather BYTES  allgather
     broadcast BYTES  a broadcast from rank 0, and each tenth time an allreduce of a number, as in a test of convergence
     alltoall BYTES   alltoall on all ranks
   Usage: kernels NAME BYTES ITERATIONS. Prints a checksum of the data ("result N"), which depends on nothing but the arguments and
   the number of ranks, and the seconds of the loop on the slowest rank ("seconds S"). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

static unsigned byte_of(int from, int to, int at, int turn) {
  return (unsigned)(from * 31 + to * 17 + at * 7 + turn * 3) & 0xFF;
}

static void fill(unsigned char* data, int bytes, int to, int turn) {
  int at;
  for (at = 0; at < bytes; at += 64) data[at] = (unsigned char)byte_of(me, to, at, turn);
}

static uint64_t sum_of(const unsigned char* data, int bytes) {
  uint64_t sum = 0;
  int at;
  for (at = 0; at < bytes; at += 64) sum += data[at];
  return sum;
}

static uint64_t alltoall(MPI_Comm comm, int bytes, int turn, unsigned char* in, unsigned char* out) {
  uint64_t sum = 0;
  int size, i;
  MPI_Comm_size(comm, &size);
  for (i = 0; i < size; ++i) fill(in + i * bytes, bytes, i, turn);
  MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
  for (i = 0; i < size; ++i) sum += sum_of(out + i * bytes, bytes);
  return sum;
}

/* Bytes from one rank to another: a few ranks get four times as much as the others. */
static int skewed(int bytes, int from, int to, int turn) {
  const int share = bytes / 4 + (from * 13 + to * 5 + turn) % (bytes + 1);
  return to % 4 == turn % 4 ? 2 * share : share / 2;
}

static int neighbour(int bytes, int from, int to) {
  const int apart = (to - from + ranks) % ranks;
  return apart == 1 || apart == ranks - 1 || apart == 4 % ranks || apart == (ranks - 4 % ranks) % ranks ? bytes : 0;
}

static uint64_t irregular(int is_sparse, int bytes, int turn, unsigned char* in, unsigned char* out) {
  int *counts = malloc(sizeof(int) * 4 * (size_t)ranks), *places = counts + ranks, *gets = places + ranks, *to = gets + ranks, i, sent = 0, got = 0;
  uint64_t sum;
  for (i = 0; i < ranks; ++i) {
    counts[i] = is_sparse ? neighbour(bytes, me, i) : skewed(bytes, me, i, turn);
    places[i] = sent;
    fill(in + sent, counts[i], i, turn);
    sent += counts[i];
  }
  MPI_Alltoall(counts, 1, MPI_INT, gets, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < ranks; ++i) to[i] = got, got += gets[i];
  MPI_Alltoallv(in, counts, places, MPI_BYTE, out, gets, to, MPI_BYTE, MPI_COMM_WORLD);
  sum = 0;
  for (i = 0; i < ranks; ++i) sum += sum_of(out + to[i], gets[i]);
  free(counts);
  return sum;
}

static uint64_t gradients(int bytes, int turn, unsigned char* in, unsigned char* out) {
  int *counts = malloc(sizeof(int) * 2 * (size_t)ranks), *places = counts + ranks, i, all = 0;
  double mine[2] = {me + turn, 1}, sums[2];
  uint64_t sum;
  for (i = 0; i < ranks; ++i) counts[i] = bytes / 2 + (i * 37) % (bytes + 1), places[i] = all, all += counts[i];
  MPI_Allreduce(mine, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine + 1, sums + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  fill(in, counts[me], 0, turn);
  MPI_Allgatherv(in, counts[me], MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  sum = (uint64_t)sums[0] + (uint64_t)sums[1];
  for (i = 0; i < ranks; ++i) sum += sum_of(out + places[i], counts[i]);
  free(counts);
  return sum;
}

static uint64_t allgather(int bytes, int turn, unsigned char* in, unsigned char* out) {
  fill(in, bytes, 0, turn);
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  return sum_of(out, ranks * bytes);
}

static uint64_t broadcast(int bytes, int turn, unsigned char* out) {
  double mine = turn, all;
  if (me == 0) fill(out, bytes, 0, turn);
  MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (turn % 10 == 9) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return sum_of(out, bytes);
}

int main(int argc, char** argv) {
  int bytes, iterations, turn, rows = 1, i;
  uint64_t mine = 0, all = 0;
  double begin, seconds, most;
  unsigned char *in, *out;
  MPI_Comm row, column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) {
    if (me == 0) fprintf(stderr, "Usage: kernels pencils|sort|sparse|gradients|allgather|broadcast|alltoall BYTES ITERATIONS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  bytes = atoi(argv[2]), iterations = atoi(argv[3]);
  for (i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) rows = i;
  MPI_Comm_split(MPI_COMM_WORLD, me / (ranks / rows), me, &row);
  MPI_Comm_split(MPI_COMM_WORLD, me % (ranks / rows), me, &column);
  in = calloc((size_t)ranks * 4 + 4, (size_t)bytes + 64), out = calloc((size_t)ranks * 4 + 4, (size_t)bytes + 64);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (turn = 0; turn < iterations; ++turn)
    if (strcmp(argv[1], "pencils") == 0)
      mine += alltoall(row, bytes, turn, in, out) + alltoall(column, bytes, turn, in, out);
    else if (strcmp(argv[1], "sort") == 0 || strcmp(argv[1], "sparse") == 0)
      mine += irregular(strcmp(argv[1], "sparse") == 0, bytes, turn, in, out);
    else if (strcmp(argv[1], "gradients") == 0)
      mine += gradients(bytes, turn, in, out);
    else if (strcmp(argv[1], "allgather") == 0)
      mine += allgather(bytes, turn, in, out);
    else if (strcmp(argv[1], "broadcast") == 0)
      mine += broadcast(bytes, turn, out);
    else
      mine += alltoall(MPI_COMM_WORLD, bytes, turn, in, out);
  seconds = MPI_Wtime() - begin;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me == 0) printf("result %llu\nseconds %.4f\n", (unsigned long long)all, most);
  MPI_Comm_free(&row), MPI_Comm_free(&column);
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
