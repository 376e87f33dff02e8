/* SPDX-License-Identifier: BSD-3-Clause
   Programs in steps: the collectives of typical programs, and between them sleep in place of computing. So more ranks than cores
   take as long as on cores of their own. bench/projection.sh records them on one host, projects them to several and runs them
   there.
     pencils BYTES    a transform of a 3-D array: alltoall in the rows and in the columns of a grid of the ranks
     sort BYTES       a sample sort: allgather of samples, alltoall of counts, alltoallv of BYTES a block on average, skewed
     transpose BYTES  of a sparse matrix: alltoall of counts, alltoallv in which one block in four has BYTES and the others none
     kmers BYTES      k-mers go to the rank of their hash: alltoall of counts, alltoallv of nearly even blocks of BYTES, which
                      change each step
     gradients BYTES  training: allreduce of BYTES of floats, and of a number
     experts BYTES    a mixture of experts: alltoall of counts, alltoallv of BYTES a block on average to the experts' ranks, whose
                      loads have a Gini coefficient of 0.24, and alltoallv back
     solver BYTES     conjugate gradients: two allreduces of a number, and an allgatherv of BYTES a rank on average
     parameters BYTES a broadcast from rank 0, and an allgather of a number
     spectra BYTES    alltoall on all ranks
   Those of held_out.txt:
     assembly BYTES   a vector of BYTES is reduced to rank 0, which broadcasts it
     histogram BYTES  ranks compute between half and one and a half times as long as the mean; allreduce of BYTES of integers
     master BYTES     rank 0 gathers a number of each rank and scatters BYTES a rank
     checkpoint BYTES a barrier, and in each fourth step a gatherv of uneven blocks of BYTES on average to rank 0
     bands BYTES      alltoall in the rows, and allreduce of BYTES in the columns of a grid of the ranks
     panels BYTES     a matrix product: broadcasts in rows and in columns, from roots that change
     multigrid BYTES  allreduces of BYTES, of a quarter, of a sixteenth, and of a number
     frontier BYTES   breadth-first search: allgatherv of BYTES a rank on average, whose counts change, and an allreduce
     shuffle BYTES    alltoall of counts, and an alltoallv in which one block in sixteen is long
     ensemble BYTES   one rank, which changes, computes three times as long; an allreduce of a number, and an allgather of BYTES
     particles BYTES  exscan of a number, allgather of BYTES, and allreduce of a number
     shards BYTES     reduce-scatter of BYTES a rank, and allgather of BYTES
   Usage: steps NAME BYTES STEPS SLEEP, under mpirun; SLEEP is the computing of a step in microseconds. Prints a checksum
   ("result N"), the seconds of the loop, and the seconds inside its collectives, means of the ranks ("loop S inside S"), and the
   seconds between MPI_Init and MPI_Finalize outside of the loop ("outside S"). What is outside of the loop calls PMPI_*, so that
   neither a recording nor the drop-in sees it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { patterns = 8, samples = 16 };

static int me, ranks, bytes, sleep_us;
static MPI_Comm row, column;
static unsigned char *in, *out;
static double inside;
static uint64_t sum;

#define TIMED(call)                   \
  do {                                \
    const double begin = MPI_Wtime(); \
    call;                             \
    inside += MPI_Wtime() - begin;    \
  } while (0)

static void compute_for(double us) {
  const struct timespec span = {0, (long)(us * 1000)};
  nanosleep(&span, NULL);
}

static void compute(int parts) { /* one of so many equal parts of the step's computing */
  compute_for((double)sleep_us / parts);
}

static void fill(int length, int turn) {
  for (int at = 0; at < length; at += 512) in[at] = (unsigned char)(me * 31 + at / 512 + turn * 3);
}

static void check(int length) {
  for (int at = 0; at < length; at += 512) sum += out[at];
}

static void alltoall(MPI_Comm comm, int turn) {
  int size;
  PMPI_Comm_size(comm, &size);
  fill(size * bytes, turn);
  TIMED(MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm));
  check(size * bytes);
}

/* The exchange of an irregular program: first counts, then data. Blocks are gathered in the order of ranks. */
static void exchange(const int* counts, int turn) {
  static int given[4096], gets[4096], got[4096];
  int sent = 0, taken = 0;
  for (int i = 0; i < ranks; ++i) given[i] = sent, sent += counts[i];
  fill(sent, turn);
  TIMED(MPI_Alltoall(counts, 1, MPI_INT, gets, 1, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < ranks; ++i) got[i] = taken, taken += gets[i];
  TIMED(MPI_Alltoallv(in, counts, given, MPI_BYTE, out, gets, got, MPI_BYTE, MPI_COMM_WORLD));
  check(taken);
}

static unsigned mixed(unsigned a, unsigned b, unsigned c) {
  unsigned x = a * 2654435761u ^ (b + 1) * 2246822519u ^ (c + 1) * 3266489917u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  return x;
}

static void pencils(int turn) {
  compute(2);
  alltoall(row, turn);
  compute(2);
  alltoall(column, turn);
}

static void sort(int turn) {
  int counts[4096];
  compute(2);
  TIMED(MPI_Allgather(in, samples, MPI_INT, out, samples, MPI_INT, MPI_COMM_WORLD));
  compute(2);
  /* Some ranks get up to three times as much as others, because keys cluster. */
  for (int i = 0; i < ranks; ++i) counts[i] = (int)((int64_t)bytes * (50 + mixed(0, i, turn % patterns) % 101) / 100);
  exchange(counts, turn);
}

static void transpose(int turn) {
  int counts[4096];
  compute(1);
  for (int i = 0; i < ranks; ++i) counts[i] = mixed(me, i, 0) % 4 == 0 ? bytes : 0;
  exchange(counts, turn);
}

static void kmers(int turn) {
  int counts[4096];
  compute(1);
  for (int i = 0; i < ranks; ++i) counts[i] = (int)((int64_t)bytes * (95 + mixed(me, i, turn % patterns) % 11) / 100);
  exchange(counts, turn);
}

static void gradients(int turn) {
  double norm = turn, all = 0;
  const int floats = bytes / (int)sizeof(float);
  float* mine = (float*)in;
  compute(1);
  for (int i = 0; i < floats; i += 128) mine[i] = (float)(me + turn);
  TIMED(MPI_Allreduce(in, out, floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
  TIMED(MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  for (int i = 0; i < floats; i += 128) sum += (uint64_t)((float*)out)[i];
}

/* Loads rise linearly from rank to rank, from 1 - s to 1 + s times the mean, in an order that changes. So their Gini coefficient is
   s / 3. */
static void experts(int turn) {
  int counts[4096], back[4096], given[4096], got[4096], sent = 0, taken = 0;
  const double slope = 0.72;
  const int pattern = turn % patterns;
  for (int i = 0; i < ranks; ++i) {
    const int place = (i * 5 + pattern * 7) % ranks;
    counts[i] = (int)(bytes * (1 - slope + 2 * slope * place / (ranks > 1 ? ranks - 1 : 1)));
  }
  for (int i = 0; i < ranks; ++i) back[i] = counts[me];
  compute(2);
  exchange(counts, turn);
  compute(2);
  for (int i = 0; i < ranks; ++i) given[i] = sent, sent += back[i], got[i] = taken, taken += counts[i];
  TIMED(MPI_Alltoallv(in, back, given, MPI_BYTE, out, counts, got, MPI_BYTE, MPI_COMM_WORLD));
  check(taken);
}

static void solver(int turn) {
  int counts[4096], places[4096], all = 0;
  double mine = me + turn, total = 0;
  compute(1);
  for (int i = 0; i < ranks; ++i) counts[i] = bytes / 2 + (i * 37) % (bytes + 1), places[i] = all, all += counts[i];
  TIMED(MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  sum += (uint64_t)total;
  fill(counts[me], turn);
  TIMED(MPI_Allgatherv(in, counts[me], MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD));
  TIMED(MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  check(all);
}

static void parameters(int turn) {
  compute(1);
  if (me == 0) fill(bytes, turn);
  TIMED(MPI_Bcast(me == 0 ? in : out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  TIMED(MPI_Allgather(in, 1, MPI_DOUBLE, out + bytes, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  if (me != 0) check(bytes);
}

static void spectra(int turn) {
  compute(1);
  alltoall(MPI_COMM_WORLD, turn);
}

static void assembly(int turn) {
  const int numbers = bytes / (int)sizeof(double);
  compute(2);
  ((double*)in)[0] = me + turn;
  TIMED(MPI_Reduce(in, out, numbers, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  compute(2);
  TIMED(MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  sum += (uint64_t)((double*)out)[0];
}

static void histogram(int turn) {
  compute_for(sleep_us * (0.5 + mixed(me, turn, 0) % 1000 / 1000.0));
  fill(bytes, turn);
  TIMED(MPI_Allreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  check(bytes);
}

static void master(int turn) {
  double mine = me + turn;
  compute(2);
  TIMED(MPI_Gather(&mine, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  compute(2);
  if (me == 0) fill(ranks * bytes, turn);
  TIMED(MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
  check(bytes);
}

/* Blocks of half of BYTES to one and a half times BYTES. Returns their sum. */
static int uneven(int* counts, int* places, int turn) {
  int all = 0;
  for (int i = 0; i < ranks; ++i)
    counts[i] = bytes / 2 + (int)(mixed(i, turn, 1) % (unsigned)bytes), places[i] = all, all += counts[i];
  return all;
}

static void checkpoint(int turn) {
  int counts[4096], places[4096];
  compute(1);
  TIMED(MPI_Barrier(MPI_COMM_WORLD));
  if (turn % 4 != 0) return;
  const int all = uneven(counts, places, 0);
  fill(counts[me], turn);
  TIMED(MPI_Gatherv(in, counts[me], MPI_BYTE, out, counts, places, MPI_BYTE, 0, MPI_COMM_WORLD));
  if (me == 0) check(all);
}

static void bands(int turn) {
  compute(2);
  alltoall(row, turn);
  compute(2);
  TIMED(MPI_Allreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, column));
  check(bytes);
}

static void panels(int turn) {
  MPI_Comm grid[2] = {row, column};
  for (int i = 0; i < 2; ++i) {
    int size, mine;
    PMPI_Comm_size(grid[i], &size), PMPI_Comm_rank(grid[i], &mine);
    compute(2);
    if (mine == turn % size) fill(bytes, turn);
    TIMED(MPI_Bcast(mine == turn % size ? in : out, bytes, MPI_BYTE, turn % size, grid[i]));
    if (mine != turn % size) check(bytes);
  }
}

static void multigrid(int turn) {
  const int lengths[] = {bytes, bytes / 4, bytes / 16, 4};
  for (int i = 0; i < 4; ++i) {
    compute(4);
    fill(lengths[i], turn);
    TIMED(MPI_Allreduce(in, out, lengths[i] / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    check(lengths[i]);
  }
}

static void frontier(int turn) {
  int counts[4096], places[4096], mine = me + turn, all = 0;
  compute(1);
  const int length = uneven(counts, places, turn % patterns);
  fill(counts[me], turn);
  TIMED(MPI_Allgatherv(in, counts[me], MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD));
  check(length);
  TIMED(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  sum += (uint64_t)all;
}

static void shuffle(int turn) {
  int counts[4096];
  compute(1);
  for (int i = 0; i < ranks; ++i) counts[i] = mixed(me, i, turn % patterns) % 16 == 0 ? 4 * bytes : bytes / 4;
  exchange(counts, turn);
}

static void ensemble(int turn) {
  int mine = me + turn, all = 0;
  compute_for(sleep_us * (turn % ranks == me ? 3.0 : 1.0));
  TIMED(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  sum += (uint64_t)all;
  fill(bytes, turn);
  TIMED(MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD));
  check(ranks * bytes);
}

static void particles(int turn) {
  int64_t mine = me + turn, before = 0, all = 0;
  compute(1);
  TIMED(MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
  if (me > 0) sum += (uint64_t)before;
  fill(bytes, turn);
  TIMED(MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD));
  check(ranks * bytes);
  TIMED(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD));
  sum += (uint64_t)all;
}

static void shards(int turn) {
  compute(2);
  fill(ranks * bytes, turn);
  TIMED(MPI_Reduce_scatter_block(in, out, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  check(bytes);
  compute(2);
  TIMED(MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD));
  check(ranks * bytes);
}

static const struct {
  const char* name;
  void (*step)(int turn);
} programs[] = {{"pencils", pencils},       {"sort", sort},         {"transpose", transpose}, {"kmers", kmers},
                {"gradients", gradients},   {"experts", experts},   {"solver", solver},       {"parameters", parameters},
                {"spectra", spectra},       {"assembly", assembly}, {"histogram", histogram}, {"master", master},
                {"checkpoint", checkpoint}, {"bands", bands},       {"panels", panels},       {"multigrid", multigrid},
                {"frontier", frontier},     {"shuffle", shuffle},   {"ensemble", ensemble},   {"particles", particles},
                {"shards", shards}};

int main(int argc, char** argv) {
  void (*step)(int) = NULL;
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i)
    if (argc == 5 && strcmp(programs[i].name, argv[1]) == 0) step = programs[i].step;
  if (!step || ranks > 4096) {
    if (me == 0) fprintf(stderr, "Usage: steps NAME BYTES STEPS SLEEP, under mpirun; see the head of steps.c\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  bytes = atoi(argv[2]), sleep_us = atoi(argv[4]);
  const int steps = atoi(argv[3]);
  int rows = 1;
  for (int i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) rows = i;
  PMPI_Comm_split(MPI_COMM_WORLD, me / (ranks / rows), me, &row);
  PMPI_Comm_split(MPI_COMM_WORLD, me % (ranks / rows), me, &column);
  const size_t room = (size_t)ranks * ((size_t)bytes * 4 + 64 * sizeof(int));
  in = calloc(room, 1), out = calloc(room, 1);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int turn = 0; turn < steps; ++turn) step(turn);
  double mine[2] = {MPI_Wtime() - begin, inside}, all[2], outside, least;
  uint64_t result = 0;
  PMPI_Reduce(&sum, &result, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  outside = MPI_Wtime() - start - mine[0];
  PMPI_Reduce(&outside, &least, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0)
    printf("result %llu\nloop %.6f inside %.6f\noutside %.6f\n", (unsigned long long)result, all[0] / ranks, all[1] / ranks,
           least / ranks);
  PMPI_Comm_free(&row), PMPI_Comm_free(&column);
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
