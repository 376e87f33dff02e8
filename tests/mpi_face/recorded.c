/* SPDX-License-Identifier: BSD-3-Clause */
/* recorded [killed|threads]: four ranks make calls that a recording must show: known numbers of calls, gaps and communicators. With
   `killed`, rank 1 kills itself after the first loop; with `threads`, each rank has a second thread. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { most = 16, loops = 100 };

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Computes for so long by this thread's own clock, however busy the machine is. */
static void compute(double seconds) {
  const double begin = processor_time();
  while (processor_time() - begin < seconds) {}
}

static void* sleep_long(void* nothing) {
  sleep(60);
  return nothing;
}

int main(int argc, char** argv) {
  char in[most * 1000], out[most * 1000];
  double one = 1, sum = 0;
  int counts[most], places[most], rank, ranks, i, k;
  pthread_t thread;
  MPI_Comm pair, twin, other;
  MPI_Request request, requests[2];
  MPI_Status statuses[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most) return 1;
  if (argc > 1 && strcmp(argv[1], "threads") == 0 && pthread_create(&thread, NULL, sleep_long, NULL) != 0) return 1;

  /* 100 times a millisecond of computing, and a short gap. */
  for (i = 0; i < loops; ++i) {
    compute(1e-3);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(in, 100, MPI_CHAR, out, 100, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (argc > 1 && strcmp(argv[1], "killed") == 0) {
    if (rank == 1) kill(getpid(), SIGKILL);
    sleep(20);
  }

  /* Sleeping is no computing. */
  for (i = 0; i < 20; ++i) {
    usleep(10000);
    MPI_Bcast(in, 64, MPI_CHAR, ranks - 1, MPI_COMM_WORLD);
  }

  /* Two communicators with the same members. */
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_Comm_set_name(pair, "pair");
  MPI_Comm_dup(pair, &twin);
  for (i = 0; i < 3; ++i) MPI_Barrier(pair);
  for (i = 0; i < 5; ++i) MPI_Barrier(twin);
  MPI_Comm_free(&twin);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Barrier(other);
  MPI_Comm_free(&other);

  /* Vectors of counts: 7 of them, in turn. */
  for (i = 0; i < 70; ++i) {
    for (k = 0; k < ranks; ++k) counts[k] = 10 + i % 7, places[k] = 100 * k;
    MPI_Alltoallv(in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  }
  for (k = 0; k < ranks; ++k) counts[k] = k + 1;
  MPI_Gatherv(in, rank + 1, MPI_CHAR, out, counts, places, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Allgatherv(in, rank + 1, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, in, 8, MPI_CHAR, MPI_BOR, pair);

  /* Nonblocking collectives, alone and together with a message. */
  for (i = 0; i < 10; ++i) {
    MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    compute(2e-4);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (i = 0; i < 4; ++i) {
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(out, 1, MPI_CHAR, rank, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(in, 1, MPI_CHAR, rank, 5, MPI_COMM_WORLD);
    while (!done) MPI_Testall(2, requests, &done, statuses);
  }
#if MPI_VERSION >= 4
  MPI_Bcast_init(in, 32, MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#elif defined OPEN_MPI && defined OMPI_HAVE_MPI_EXT_PCOLLREQ
  MPIX_Bcast_init(in, 32, MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
  for (i = 0; i < 6; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);

  /* Messages: the next rank gets them late. */
  for (i = 0; i < 5; ++i) {
    if (rank % 2 == 0) {
      usleep(10000);
      MPI_Send(in, 8, MPI_CHAR, rank + 1, 3, MPI_COMM_WORLD);
    } else {
      MPI_Recv(out, 8, MPI_CHAR, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  puts("all as expected");
  return 0;
}
