/* SPDX-License-Identifier: BSD-3-Clause
   Unusual uses of MPI: borders CASE [ARGUMENTS...], under any launcher, without and with the drop-in. Cases:
     level N      uses threads as thread level N (0 single ... 3 multiple) allows, and a user's error handler
     spawn [CHILD...]  spawns 2 children with the command CHILD (default: this program); all processes use one communicator
     connect      two halves of the ranks connect by MPI_Comm_connect
     abort        one rank calls MPI_Abort while the others wait in a collective; the exit code is not 0
     session      MPI 4: a communicator of a session; session_beside: the same besides MPI_COMM_WORLD
   Prints "all as expected" at the end. */
#include <dirent.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me = -1;

static void expect(const char* what, int good) {
  if (good) return;
  printf("wrong: %s on rank %d\n", what, me);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Calls collectives that Quadrille may run, often enough for it to do so. */
static void exchange(MPI_Comm comm, const char* what) {
  int size, rank, round, i, in[16], out[16], counts[16], places[16];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  for (round = 0; round < 20; ++round) {
    int sum = 0;
    for (i = 0; i < size; ++i) in[i] = 1000 * round + 100 * rank + i;
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    for (i = 0; i < size; ++i) expect(what, out[i] == 1000 * round + 100 * i + rank);
    for (i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    for (i = 0; i < size; ++i) expect(what, out[i] == 1000 * round + 100 * i + rank);
    MPI_Allgather(&in[0], 1, MPI_INT, out, 1, MPI_INT, comm);
    for (i = 0; i < size; ++i) expect(what, out[i] == 1000 * round + 100 * i);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(what, sum == size * (size - 1) / 2);
    MPI_Barrier(comm);
  }
}

static int threads_of_process(void) {
  DIR* folder = opendir("/proc/self/task");
  int count = 0;
  if (!folder) return 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

static int handled, handled_class;
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  MPI_Error_class(*code, &handled_class);
}

static void handlers(void) {
  MPI_Errhandler handler;
  MPI_Comm comm, dup;
  int x[16] = {0}, y[16], code, class;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  exchange(comm, "a communicator with a handler");
  MPI_Comm_dup(comm, &dup);
  exchange(dup, "its duplicate");
  code = MPI_Alltoall(x, -1, MPI_INT, y, 1, MPI_INT, dup);
  MPI_Error_class(code, &class);
  expect("the handler of a duplicate, once", handled == 1 && handled_class == MPI_ERR_COUNT && class == MPI_ERR_COUNT);
  MPI_Allreduce(x, y, 1, MPI_INT, MPI_OP_NULL, comm);
  expect("the handler, once more", handled == 2 && handled_class == MPI_ERR_OP);
  exchange(dup, "after errors");
  MPI_Comm_free(&dup);
  MPI_Comm_free(&comm);
}

struct Work {
  MPI_Comm comm;
  pthread_mutex_t* turn; /* null: the thread runs at the same time as others */
};

static void* work(void* given) {
  struct Work* mine = given;
  int round;
  for (round = 0; round < 5; ++round) {
    if (mine->turn) pthread_mutex_lock(mine->turn);
    exchange(mine->comm, "a thread's communicator");
    if (mine->turn) pthread_mutex_unlock(mine->turn);
  }
  return NULL;
}

/* Two threads, one after the other on one communicator, or at the same time on a communicator each. */
static void two_threads(int own) {
  struct Work both[2];
  pthread_t threads[2];
  int i;
  for (i = 0; i < 2; ++i) {
    both[i].turn = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &both[i].comm);
  }
  for (i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL, work, &both[i]);
    if (!own) pthread_join(threads[i], NULL);
  }
  for (i = 0; own && i < 2; ++i) pthread_join(threads[i], NULL);
  for (i = 0; i < 2; ++i) MPI_Comm_free(&both[i].comm);
}

static void level(int wanted) {
  static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided, threads;
  MPI_Init_thread(NULL, NULL, levels[wanted], &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Barrier(MPI_COMM_WORLD);
  threads = threads_of_process();
  exchange(MPI_COMM_WORLD, "the world");
  expect("no helper threads", provided == MPI_THREAD_MULTIPLE || threads_of_process() == threads);
  handlers();
  if (provided >= MPI_THREAD_SERIALIZED) two_threads(0);
  if (provided == MPI_THREAD_MULTIPLE) two_threads(1);
  MPI_Finalize();
}

/* Merges this process's group with `others`, which is not in MPI_COMM_WORLD, and calls collectives. */
static void meet(MPI_Comm others, int high, const char* what) {
  MPI_Comm all;
  int rank, sum = 0, size, remote;
  MPI_Comm_rank(others, &rank);
  MPI_Comm_size(others, &size);
  MPI_Comm_remote_size(others, &remote);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, others);
  expect(what, sum == remote * (remote - 1) / 2);
  MPI_Intercomm_merge(others, high, &all);
  exchange(all, what);
  MPI_Comm_free(&all);
}

static void spawn(int count, char** words) {
  MPI_Comm parents, children;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  exchange(MPI_COMM_WORLD, "the world of a spawn");
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    meet(parents, 1, "children with their parents");
    MPI_Comm_disconnect(&parents);
  } else {
    MPI_Comm_spawn(words[0], count > 1 ? words + 1 : MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    meet(children, 0, "parents with their children");
    MPI_Comm_disconnect(&children);
    exchange(MPI_COMM_WORLD, "the world after a spawn");
  }
  MPI_Finalize();
}

static void connect_halves(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, others;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  exchange(MPI_COMM_WORLD, "the world before it is connected");
  if (me == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (me % 2 == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &others);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &others);
  meet(others, me % 2, "two halves");
  MPI_Comm_disconnect(&others);
  if (me == 0) MPI_Close_port(port);
  MPI_Comm_free(&half);
  MPI_Finalize();
}

static void abort_early(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  exchange(MPI_COMM_WORLD, "before an abort");
  if (me == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  exchange(MPI_COMM_WORLD, "an abort");
  sleep(100); /* the exchange has ended without rank 1 */
}

/* MPICH 4.0.2 crashes in an MPI_Init after a session, so each case is a separate run. */
static void session(int beside) {
#ifdef MPI_SESSION_NULL
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  if (beside) {
    MPI_Init(NULL, NULL);
    exchange(MPI_COMM_WORLD, "the world beside a session");
  }
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "borders", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &me);
  exchange(comm, "a session's communicator");
  MPI_Comm_free(&comm);
  if (beside) exchange(MPI_COMM_WORLD, "the world beside a session, again");
  MPI_Session_finalize(&session);
  if (beside) MPI_Finalize();
#else
  (void)beside;
  me = 0; /* there is nothing to do */
#endif
}

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "";
  char* self[] = {words[0], "spawn", NULL};
  if (strcmp(name, "level") == 0 && count > 2)
    level(atoi(words[2]));
  else if (strcmp(name, "spawn") == 0)
    spawn(count > 2 ? count - 2 : 2, count > 2 ? words + 2 : self);
  else if (strcmp(name, "connect") == 0)
    connect_halves();
  else if (strcmp(name, "abort") == 0)
    abort_early();
  else if (strcmp(name, "session") == 0 || strcmp(name, "session_beside") == 0)
    session(strcmp(name, "session") != 0);
  else
    return 2;
  if (me == 0) puts("all as expected");
  return 0;
}
