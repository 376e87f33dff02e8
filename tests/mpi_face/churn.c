/* SPDX-License-Identifier: BSD-3-Clause
   What a program may do besides collectives: making thousands of communicators and types, errors, inherited error handlers, fork,
   threads. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int me, n;

static void expect(const char* what, int good) {
  if (good) return;
  printf("wrong: %s on rank %d\n", what, me);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exchange(MPI_Comm comm, const char* what) {
  int size, rank, in[64], out[64], i;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (i = 0; i < size; ++i) in[i] = 100 * rank + i;
  MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
  for (i = 0; i < size; ++i) expect(what, out[i] == 100 * i + rank);
}

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void communicators_and_types(void) {
  int i;
  for (i = 0; i < 1000; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? 0 : me % 2, i % 3 ? me : -me, &comm);
    exchange(comm, "alltoall of a new communicator");
    exchange(comm, "alltoall of a new communicator, again");
    MPI_Comm_free(&comm);
  }
  for (i = 0; i < 1000; ++i) {
    MPI_Datatype type; /* MPI reuses the handle of a freed type for another type */
    int in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, j;
    MPI_Type_vector(2, 1, 1 + i % 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (j = 0; j < 8 && me != 0; ++j) in[j] = 0;
    MPI_Bcast(in, 1, type, 0, MPI_COMM_WORLD);
    expect("bcast of a vector type", in[0] == 1 && in[1 + i % 4] == 2 + i % 4 && (me == 0 || in[6] == 0));
    MPI_Type_free(&type);
  }
}

static void errors(void) {
  MPI_Comm dup;
  int x[64] = {0}, y[64];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  expect("count", class_of(MPI_Alltoall(x, -1, MPI_INT, y, 1, MPI_INT, dup)) == MPI_ERR_COUNT);
  expect("type", class_of(MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, dup)) == MPI_ERR_TYPE);
  expect("root", class_of(MPI_Bcast(x, 1, MPI_INT, n, dup)) == MPI_ERR_ROOT);
  expect("operator", class_of(MPI_Allreduce(x, y, 1, MPI_INT, MPI_OP_NULL, dup)) == MPI_ERR_OP);
  expect("communicator", class_of(MPI_Barrier(MPI_COMM_NULL)) == MPI_ERR_COMM);
  exchange(dup, "alltoall after errors");
  MPI_Comm_free(&dup);
}

static void forks(void) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, &status, 0);
  expect("the forked child", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  exchange(MPI_COMM_WORLD, "alltoall after fork");
  child = fork();
  if (child == 0) {
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  waitpid(child, &status, 0);
  expect("the child that runs a program", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  int level, i;
  MPI_Request request;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (i = 0; i < 100; ++i) exchange(MPI_COMM_WORLD, "alltoall");
  communicators_and_types();
  errors();
  forks();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (me == 0) puts("all as expected");
  MPI_Finalize();
  return 0;
}
