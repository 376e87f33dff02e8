// SPDX-License-Identifier: BSD-3-Clause
// leaks [HOW]: makes communicators, types and requests, and frees them. With "leaks", it keeps some of each kind, and the test
// finds the lines by their comments; with "floods", it makes more communicators than MPICH has; with "ping", it prints the time of
// a message to itself.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { communicators = 1500, kept_communicators = 300, types = 200, requests = 150, messages = 300, flood = 2100, pings = 200000 };

static void make_communicators(int kept) {
  for (int i = 0; i < communicators; ++i) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);  // kept communicators
    if (i >= kept) MPI_Comm_free(&made);
  }
}

static void make_types(int kept) {
  for (int i = 0; i < types; ++i) {
    MPI_Datatype made;
    MPI_Type_contiguous(i + 1, MPI_INT, &made);
    MPI_Type_commit(&made);  // kept types
    if (i >= kept) MPI_Type_free(&made);
  }
}

static void make_requests(int kept) {
  static char byte;
  for (int i = 0; i < requests; ++i) {
    MPI_Request made;
    MPI_Recv_init(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &made);  // kept requests
    if (i >= kept) MPI_Request_free(&made);
  }
}

// Completes messages and nonblocking collectives in all ways.
static void complete_all(void) {
  static char sent[messages], received[messages];
  static MPI_Request all[2 * messages + 1];
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < messages; ++i) {
      MPI_Irecv(&received[i], 1, MPI_BYTE, 0, i, MPI_COMM_SELF, &all[2 * i]);
      MPI_Isend(&sent[i], 1, MPI_BYTE, 0, i, MPI_COMM_SELF, &all[2 * i + 1]);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &all[2 * messages]);
    int done = 0, number = 0;
    static int completed[2 * messages + 1];
    if (way == 0) MPI_Waitall(2 * messages + 1, all, MPI_STATUSES_IGNORE);
    for (int i = 0; way == 1 && i <= 2 * messages; ++i) MPI_Waitany(2 * messages + 1, all, &number, MPI_STATUS_IGNORE);
    while (way == 2 && number != MPI_UNDEFINED) MPI_Testsome(2 * messages + 1, all, &number, completed, MPI_STATUSES_IGNORE);
    for (int i = 0; way == 3 && i <= 2 * messages; ++i)
      for (done = 0; !done;) MPI_Test(&all[i], &done, MPI_STATUS_IGNORE);
  }
}

static void ping(void) {
  char out = 1, in = 0;
  const double begin = MPI_Wtime();
  for (int i = 0; i < pings; ++i) {
    MPI_Request both[2];
    MPI_Irecv(&in, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[0]);
    MPI_Isend(&out, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  printf("%.0f ns\n", 1e9 * (MPI_Wtime() - begin) / pings);
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const int leaks = count > 1 && strcmp(arguments[1], "leaks") == 0;
  if (count > 1 && strcmp(arguments[1], "ping") == 0) {
    ping();
  } else if (count > 1 && strcmp(arguments[1], "floods") == 0) {
    MPI_Comm made;
    for (int i = 0; i < flood; ++i) {
      if (i == flood - 200) sleep(1);       // so that its watcher sees it
      MPI_Comm_dup(MPI_COMM_WORLD, &made);  // flood
    }
  } else {
    complete_all();
    make_communicators(leaks ? kept_communicators : 0);
    make_types(leaks ? types : 0);
    make_requests(leaks ? requests : 0);
  }
  MPI_Finalize();
  return 0;
}
