/* SPDX-License-Identifier: BSD-3-Clause */
/* requests: two or more ranks wait for nonblocking, persistent and neighbourhood collectives in all of MPI's ways. The last rank
   enters each collective half a second after it has heard that the others wait. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { block = 1000, most = 16 };

static char in[most * block], out[most * block];
static int rank, ranks;
static MPI_Status statuses[3];

/* The last rank is late, by its own clock and after word from rank 0. */
static void be_late(void) {
  if (rank == 0) MPI_Send(NULL, 0, MPI_CHAR, ranks - 1, 1, MPI_COMM_WORLD);
  if (rank != ranks - 1) return;
  MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  usleep(500000);
}

static MPI_Request begin(void) {
  MPI_Request request;
  be_late();
  MPI_Ialltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD, &request);
  return request;
}

/* Once together with messages. */
static void wait_in_all_ways(void) {
  MPI_Request requests[3];
  int done = 0, index, count, indices[3];
  requests[0] = begin();
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (requests[0] = begin(); !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  requests[0] = begin();
  MPI_Isend(in, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(out, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, statuses);
  requests[0] = begin();
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  requests[0] = begin();
  MPI_Waitsome(1, requests, &count, indices, statuses);
  requests[0] = begin();
  for (done = 0; !done;) MPI_Testall(1, requests, &done, statuses);
  requests[0] = begin();
  for (done = 0; !done;) MPI_Testany(1, requests, &index, &done, MPI_STATUS_IGNORE);
  requests[0] = begin();
  for (count = 0; count == 0;) MPI_Testsome(1, requests, &count, indices, statuses);
  requests[0] = begin();
  for (done = 0; !done;) MPI_Request_get_status(requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
#define ALLREDUCE_INIT MPI_Allreduce_init
#define ALLGATHERV_INIT MPI_Allgatherv_init
#elif defined OPEN_MPI && defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define ALLGATHERV_INIT MPIX_Allgatherv_init
#endif

static void start_again_and_again(void) {
#ifdef ALLREDUCE_INIT
  MPI_Request request;
  int i;
  ALLREDUCE_INIT(in, out, 400, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (i = 0; i < 6; ++i) {
    if (i == 0) be_late();
    if (i % 2 == 0) MPI_Start(&request);
    else MPI_Startall(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
}

/* Irregular: two nonblocking allgathervs, and a persistent one that is started twice. */
static void gather_shares(void) {
  MPI_Request request;
  int counts[most], places[most], i;
  for (i = 0; i < ranks; ++i) counts[i] = 300, places[i] = 300 * i;
  for (i = 0; i < 2; ++i) {
    MPI_Iallgatherv(in, 300, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
#ifdef ALLGATHERV_INIT
  ALLGATHERV_INIT(in, 300, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
}

static void ask_neighbours(void) {
  MPI_Comm ring;
  MPI_Request request;
  int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Ineighbor_alltoall(in, 200, MPI_CHAR, out, 200, MPI_CHAR, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Neighbor_alltoall(in, 50, MPI_CHAR, out, 50, MPI_CHAR, ring);
  MPI_Comm_free(&ring);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > most) return 1;
  wait_in_all_ways();
  start_again_and_again();
  gather_shares();
  ask_neighbours();
  MPI_Finalize();
  if (rank == 0) puts("all as expected");
  return 0;
}
