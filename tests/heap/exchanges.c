/* SPDX-License-Identifier: BSD-3-Clause
   exchanges [SECONDS] [ANY]: collectives on large buffers of malloc, under `quadrille wrap --heap`. Buffers lie in the heap at any
   place, partly in it, or elsewhere; they grow, move and are released between the calls, and the process starts others. All results
   are checked. Prints at the end how many buffers were in the heap. With SECONDS, repeats that for so long, beside random
   allocations; then neither the memory of the files that the process shares nor the number of its mappings may grow after the
   first rounds. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, shared_buffers, all_buffers;
static int64_t outside[1 << 17]; /* static data is not in the heap */

static void fail(const char* what, int64_t where) {
  fprintf(stderr, "rank %d: wrong %s at %lld\n", rank, what, (long long)where);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is_in_heap(const void* memory) {
  FILE* const in = fopen("/proc/self/maps", "r");
  char line[512];
  int is = 0;
  while (!is && fgets(line, sizeof line, in)) {
    uintptr_t begin, end;
    if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && (uintptr_t)memory >= begin && (uintptr_t)memory < end)
      is = strstr(line, "memfd:quadrille") != NULL;
  }
  fclose(in);
  return is;
}

static int64_t word(int from, int to, int64_t i, int round) {
  return ((int64_t)round << 40) + ((int64_t)from << 30) + ((int64_t)to << 20) + i;
}

/* A buffer that begins `skipped` words behind the begin of its block. */
static int64_t* buffer(int64_t words, int kind, void** block) {
  *block = NULL;
  if (kind == 3 && words <= 1 << 17) return outside;
  const int64_t skipped = kind == 1 ? 1000 : kind == 2 ? 3 : 0;
  *block = malloc((size_t)(words + skipped) / 2 * 8 + 65536);
  *block = realloc(*block, (size_t)(words + skipped) * 8 + 65536);
  shared_buffers += is_in_heap(*block);
  ++all_buffers;
  return (int64_t*)*block + skipped;
}

static void alltoall(int64_t n, int round, int in_place) {
  void *one, *other;
  int64_t* const from = buffer(n * ranks, round % 4, &one);
  int64_t* const to = buffer(n * ranks, (round / 4 + rank) % 3, &other);
  int64_t* const source = in_place ? to : from;
  for (int peer = 0; peer < ranks; ++peer)
    for (int64_t i = 0; i < n; ++i) source[peer * n + i] = word(rank, peer, i, round);
  if (round % 2 == 0) {
    MPI_Alltoall(in_place ? MPI_IN_PLACE : from, (int)n, MPI_INT64_T, to, (int)n, MPI_INT64_T, MPI_COMM_WORLD);
  } else {
    int *const counts = malloc(2 * (size_t)ranks * sizeof(int)), *const places = counts + ranks;
    for (int peer = 0; peer < ranks; ++peer) counts[peer] = (int)n, places[peer] = (int)(peer * n);
    MPI_Alltoallv(in_place ? MPI_IN_PLACE : from, counts, places, MPI_INT64_T, to, counts, places, MPI_INT64_T, MPI_COMM_WORLD);
    free(counts);
  }
  for (int peer = 0; peer < ranks; ++peer)
    for (int64_t i = 0; i < n; ++i)
      if (to[peer * n + i] != word(peer, rank, i, round)) fail("alltoall", peer * n + i);
  free(one);
  free(other);
}

static void allgather(int64_t n, int round) {
  void *one, *other;
  int64_t *const from = buffer(n, round % 4, &one), *const to = buffer(n * ranks, round % 3, &other);
  for (int64_t i = 0; i < n; ++i) from[i] = word(rank, 0, i, round);
  MPI_Allgather(from, (int)n, MPI_INT64_T, to, (int)n, MPI_INT64_T, MPI_COMM_WORLD);
  for (int peer = 0; peer < ranks; ++peer)
    for (int64_t i = 0; i < n; ++i)
      if (to[peer * n + i] != word(peer, 0, i, round)) fail("allgather", peer * n + i);
  free(one);
  free(other);
}

static void broadcast_and_sum(int64_t n, int round) {
  void* one;
  int64_t* const data = buffer(n, round % 4, &one);
  const int root = round % ranks;
  for (int64_t i = 0; i < n; ++i) data[i] = rank == root ? word(root, 1, i, round) : 0;
  MPI_Bcast(data, (int)n, MPI_INT64_T, root, MPI_COMM_WORLD);
  for (int64_t i = 0; i < n; ++i)
    if (data[i] != word(root, 1, i, round)) fail("broadcast", i);
  MPI_Allreduce(MPI_IN_PLACE, data, (int)n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t i = 0; i < n; ++i)
    if (data[i] != ranks * word(root, 1, i, round)) fail("sum", i);
  free(one);
}

/* A child writes to its copy, and nobody sees that. */
static void start_others(void) {
  void* block;
  int64_t* const data = buffer(100000, 0, &block);
  memset(data, 5, 800000);
  const pid_t child = fork();
  if (child == 0) {
    memset(data, 6, 800000);
    free(block);
    block = malloc(1 << 20);
    memset(block, 7, 1 << 20);
    _exit(0);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0 || system("true") != 0) fail("child", status);
  for (int i = 0; i < 800000; ++i)
    if (((char*)data)[i] != 5) fail("memory after a fork", i);
  free(block);
}

/* Blocks that live for some rounds. */
static void allocate_and_release(void) {
  static struct {
    int64_t* memory;
    size_t words;
  } kept[40];
  for (int step = 0; step < 20; ++step) {
    const size_t which = (size_t)rand() % 40, words = (size_t)rand() % (1 << (rand() % 2 ? 15 : 17)) + 8000;
    int64_t* memory = kept[which].memory;
    for (size_t i = 0; i < kept[which].words; i += 512)
      if (memory[i] != (int64_t)(which + i)) fail("kept block", (int64_t)i);
    if (rand() % 2) free(memory), memory = NULL;
    kept[which].memory = memory = memory || rand() % 2 ? realloc(memory, words * 8) : calloc(words, 8);
    kept[which].words = words;
    for (size_t i = 0; i < words; i += 512) memory[i] = (int64_t)(which + i);
  }
}

struct use {
  long mebibytes, mappings; /* of the files that this process shares; of the process */
};

static struct use use(void) {
  static char names[2][32]; /* /proc/self/fd/.. of the two files */
  for (int file = 700; names[1][0] == 0 && file < 800; ++file) {
    char path[32], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (readlink(path, name, sizeof name - 1) > 0 && strstr(name, "memfd:quadrille")) strcpy(names[names[0][0] != 0], path);
  }
  struct use now = {0, 0};
  struct stat status;
  for (int k = 0; k < 2; ++k)
    if (stat(names[k], &status) == 0) now.mebibytes += status.st_blocks / 2048;
  FILE* const in = fopen("/proc/self/maps", "r");
  for (int letter; (letter = fgetc(in)) != EOF;) now.mappings += letter == '\n';
  fclose(in);
  return now;
}

/* The most that was in use at the first two measurements, and later. */
static struct use most[2];
static int measurements;

static void see_use(void) {
  const int is_later = measurements++ >= 2;
  const struct use now = use();
  if (now.mebibytes > most[is_later].mebibytes) most[is_later].mebibytes = now.mebibytes;
  if (now.mappings > most[is_later].mappings) most[is_later].mappings = now.mappings;
}

/* Some of the blocks of `kept` come later. */
static void check_use(void) {
  printf("rank %d: at most %ld and %ld MiB, %ld and %ld mappings\n", rank, most[0].mebibytes, most[1].mebibytes, most[0].mappings,
         most[1].mappings);
  if (measurements > 0 && most[0].mebibytes == 0) fail("measurement of memory", 0);
  if (most[1].mebibytes > most[0].mebibytes * 5 / 4 + 20) fail("growth of shared memory, to MiB", most[1].mebibytes);
  if (most[1].mappings > most[0].mappings + 100) fail("growth of mappings", most[1].mappings);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double seconds = count > 1 ? atof(words[1]) : 0, start = MPI_Wtime();
  int is_over = 0;
  srand((unsigned)rank + 1);
  if (rank == 0 && seconds > 0) puts("begun"), fflush(stdout);
  for (int round = 0; !is_over; ++round) {
    static const int64_t sizes[] = {100, 2000, 8192, 10001, 40000, 131072};
    const int64_t n = sizes[round % 6];
    alltoall(n, round, 0);
    alltoall(n, round, 1);
    allgather(n, round);
    broadcast_and_sum(n, round);
    if (round % 10 == 5) {
      start_others(); /* so all that was released is given back */
      see_use();
    }
    if (seconds > 0) allocate_and_release();
    is_over = seconds > 0 ? MPI_Wtime() - start > seconds : round >= 60;
    MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (seconds > 0) check_use();
  if (rank == 0) printf("good, %d of 100 buffers in the heap\n", 100 * shared_buffers / all_buffers);
  MPI_Finalize();
  return 0;
}
