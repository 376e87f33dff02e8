/* SPDX-License-Identifier: BSD-3-Clause */
/* counted [killed]: makes calls for the report to count. With an argument, rank 1 is killed while it waits inside an alltoall. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { most = 64 };

static int wake_killer = -1;

/* Forks a child, before MPI is initialised, that kills this process when told to. */
static void make_killer(void) {
  const pid_t self = getpid();
  char word;
  int ends[2];
  if (pipe(ends) != 0) exit(1);
  wake_killer = ends[1];
  if (fork() != 0) return;
  close(ends[1]);
  if (read(ends[0], &word, 1) == 1) {
    usleep(300000);
    kill(self, SIGKILL);
  }
  _exit(0);
}

static int launched_rank(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  return rank ? atoi(rank) : 0;
}

int main(int argc, char** argv) {
  char in[most * 1000], out[most * 1000];
  int counts[most], places[most], rank, ranks, i;
  MPI_Comm pair, copy;
  MPI_Request request;
  if (argc > 1 && launched_rank() == 1) make_killer();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most) return 1;
  for (i = 0; i < 20; ++i) MPI_Alltoall(in, 1000, MPI_CHAR, out, 1000, MPI_CHAR, MPI_COMM_WORLD);
  if (argc > 1) {
    if (rank != 1) sleep(20);
    if (write(wake_killer, "x", 1) != 1) return 1;
    MPI_Alltoall(in, 1000, MPI_CHAR, out, 1000, MPI_CHAR, MPI_COMM_WORLD);
  }
  for (i = 0; i < 3; ++i) MPI_Bcast(in, 8, MPI_CHAR, ranks - 1, MPI_COMM_WORLD);
  for (i = 0; i < 200; ++i) MPI_Allreduce(in, out, 8, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD); /* enough to measure late ranks */
  for (i = 0; i < ranks; ++i) counts[i] = 10, places[i] = 10 * i;
  for (i = 0; i < 4; ++i) MPI_Alltoallv(in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Ialltoall(in, 1, MPI_CHAR, out, 1, MPI_CHAR, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_Barrier(pair);
  MPI_Comm_set_name(pair, "pairs");
  MPI_Barrier(pair);
  MPI_Comm_free(&pair);
  for (i = 0; i < 300; ++i) { /* more communicators than the report numbers; the number of a freed one is reused */
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Finalize();
  puts("all as expected");
  return 0;
}
