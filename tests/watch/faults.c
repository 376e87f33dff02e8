// SPDX-License-Identifier: BSD-3-Clause
// faults NAME: some correct iterations, then the fault NAME. `faults list` prints for each name the ranks that it needs and its
// kind:
//   hang      the program never ends
//   ends      a rank ends; then the launcher may end the others
//   check     needs --check; without it, it depends on the MPI whether the program hangs, goes on or ends with an error
//   late      no fault: the program ends well, after a message
//   quiet     no fault: the program ends well, without a message
//   launcher  for launcher_test.sh
// Then `quick` if it is part of the short test. Comments HERE NAME: RANKS: WORDS; WORDS say what the message must contain: these
// ranks with the line of the comment, and the regular expressions. Several comments for one name and the same ranks are
// alternatives.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { large = 1 << 17, most_ranks = 64 };  // large: of doubles, 1 MiB
static const MPI_Comm world = MPI_COMM_WORLD;
static int me, ranks;
static double input[4 * large], output[4 * large];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void reached(int rank) {
  if (me == rank) fputs("at the fault\n", stderr);
}

static void iterate(int count) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 1000; ++k) input[k] = input[k] * 0.5 + me;
    MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);
    MPI_Bcast(input, 100, MPI_DOUBLE, 0, world);
    MPI_Alltoall(input, 10, MPI_DOUBLE, output, 10, MPI_DOUBLE, world);
    MPI_Barrier(world);  // HERE sleeps: rank 1: sleep // HERE reads: rank 1: sleep|read
  }
}

__attribute__((noinline)) static void spin(double seconds) {
  const double end = now() + seconds;
  while (now() < end) {
    for (volatile int i = 0; i < 10000000; ++i) continue;  // HERE late_barrier: rank 1: late; spin
  }
}

__attribute__((noinline)) static void spin_for_ever(void) {
  for (volatile long i = 0;; ++i) continue;  // HERE spins: rank 1: spin_for_ever // HERE finalize_missing: rank 1: spin_for_ever
}

__attribute__((noinline)) static void doze(void) {
  sleep(1000);  // HERE sleeps: rank 1: sleep
}

// Collectives that are missing, or come in another order.
static void skip_barrier(void) {
  reached(1);
  if (me != 1) MPI_Barrier(world);                              // HERE skip_barrier: ranks 0, 2, 3: Barrier
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE skip_barrier: rank 1: Allreduce
}

static void skip_allreduce(void) {
  reached(1);
  if (me != 1) MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE skip_allreduce: ranks 0, 2, 3: Allreduce
  MPI_Barrier(world);                                                        // HERE skip_allreduce: rank 1: Barrier
}

static void swap(void) {
  reached(1);
  if (me == 1) {
    MPI_Bcast(input, 100, MPI_DOUBLE, 0, world);  // HERE swap: rank 1: Bcast; root 0; differs
    MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);
  } else {
    MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE swap: ranks 0, 2, 3: Allreduce
    MPI_Bcast(input, 100, MPI_DOUBLE, 0, world);
  }
}

static void odd_branch(void) {
  reached(1);
  if (me % 2 == 1) {
    MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE odd_branch: ranks 1, 3: Allreduce
  } else {
    MPI_Barrier(world);  // HERE odd_branch: ranks 0, 2: Barrier
  }
}

static void behind(void) {
  for (int i = 0; i < 10; ++i) {
    if (me == 1 && i == 9) break;
    MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE behind: ranks 0, 2, 3: Allreduce
  }
  reached(1);
  MPI_Finalize();  // HERE behind: rank 1: Finalize
  exit(0);
}

static void extra_barrier(void) {
  reached(2);
  if (me == 2) MPI_Barrier(world);                              // HERE extra_barrier: rank 2: Barrier
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE extra_barrier: ranks 0, 1, 3: Allreduce
}

static void ibarrier_missing(void) {
  MPI_Request request;
  reached(1);
  if (me != 1) {
    MPI_Ibarrier(world, &request);          // HERE ibarrier_missing: ranks 0, 2, 3: Ibarrier
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // HERE ibarrier_missing: ranks 0, 2, 3: Wait
  }
  MPI_Bcast(input, 100, MPI_DOUBLE, 0, world);  // HERE ibarrier_missing: rank 1: Bcast
}

static void gather_root(void) {
  reached(1);
  if (me != 1)
    MPI_Gather(input, large, MPI_DOUBLE, output, large, MPI_DOUBLE, 1, world);  // HERE gather_root: rank 2: Gather; root 1
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);                  // HERE gather_root: rank 1: Allreduce
}

static void scatter_root(void) {
  reached(1);
  if (me != 1)
    MPI_Scatter(input, 10, MPI_DOUBLE, output, 10, MPI_DOUBLE, 1, world);  // HERE scatter_root: ranks 0, 2, 3: Scatter; root 1
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);             // HERE scatter_root: rank 1: Allreduce
}

static void finalize_missing(void) {
  reached(1);
  if (me == 1) spin_for_ever();
  MPI_Finalize();  // HERE finalize_missing: ranks 0, 2, 3: Finalize
  exit(0);
}

// Arguments that differ.
static void other_root(void) {
  reached(1);
  MPI_Bcast(input, 100, MPI_DOUBLE, me == 1 ? 2 : 0, world);  // HERE other_root: rank 1: Bcast; root 2; root 0|other root
  MPI_Barrier(world);
}

static void scatter_other_root(void) {
  const int root = me == 1 ? 3 : 0;
  reached(1);
  MPI_Scatter(input, 10, MPI_DOUBLE, output, 10, MPI_DOUBLE, root, world);  // HERE scatter_other_root: rank 1: Scatter; root 3
  MPI_Barrier(world);
}

static void other_operator(void) {
  reached(1);
  MPI_Reduce(input, output, 4, MPI_DOUBLE, me == 1 ? MPI_MAX : MPI_SUM, 0, world);  // HERE other_operator: rank 1: Reduce; max; sum
}

static void other_count(void) {
  reached(1);
  MPI_Allreduce(input, output, me == 1 ? 4 : 8, MPI_DOUBLE, MPI_SUM, world);  // HERE other_count: rank 1: Allreduce; 32 B; 64 B
}

static void other_type(void) {
  reached(1);
  MPI_Allreduce(input, output, 4, me == 1 ? MPI_INT64_T : MPI_DOUBLE, MPI_SUM, world);  // HERE other_type: rank 1: Allreduce; f64
}

static void bcast_bytes(void) {
  reached(1);
  MPI_Bcast(input, me == 1 ? 200 : 100, MPI_DOUBLE, 0, world);  // HERE bcast_bytes: rank 1: Bcast; 1,600 B|1.6 KB; 800 B
}

static int sends[most_ranks], receives[most_ranks], at[most_ranks];
static void prepare(int sent, int received) {  // rank 1 sends `sent` doubles to rank 2, which expects `received`
  for (int i = 0; i < ranks; ++i) sends[i] = receives[i] = 50, at[i] = 50 * i;
  if (me == 1) sends[2] = sent, at[2] = 50 * most_ranks;
  if (me == 2) receives[1] = received, at[1] = 50 * most_ranks;
  reached(1);
}

static void alltoallv_pair(void) {
  const MPI_Datatype f64 = MPI_DOUBLE;
  prepare(large, 0);
  MPI_Alltoallv(input, sends, at, f64, output, receives, at, f64, world);  // HERE alltoallv_pair: rank 1: Alltoallv; 1 MiB; rank 2
}

static void alltoallv_bytes(void) {
  const MPI_Datatype f64 = MPI_DOUBLE;
  prepare(50, 100);
  MPI_Alltoallv(input, sends, at, f64, output, receives, at, f64, world);  // HERE alltoallv_bytes: rank 1: 400 B; 800 B; rank 2
}

// Communicators.
static void other_communicator(void) {
  MPI_Comm twin;
  MPI_Comm_dup(world, &twin);
  reached(1);
  if (me == 1) {
    MPI_Barrier(twin);  // HERE other_communicator: rank 1: Barrier
  } else {
    MPI_Barrier(world);  // HERE other_communicator: ranks 0, 2, 3: Barrier
  }
}

static void two_communicators(void) {
  MPI_Comm first, second;
  MPI_Comm_dup(world, &first);
  MPI_Comm_dup(world, &second);
  reached(1);
  if (me == 1) {
    MPI_Barrier(second);  // HERE two_communicators: rank 1: Barrier
    MPI_Barrier(first);
  } else {
    MPI_Barrier(first);  // HERE two_communicators: ranks 0, 2, 3: Barrier
    MPI_Barrier(second);
  }
}

static void split_missing(void) {
  MPI_Comm half;
  MPI_Comm_split(world, me % 2, me, &half);
  reached(1);
  if (me != 1) MPI_Barrier(half);  // HERE split_missing: rank 3: Barrier
  MPI_Barrier(world);              // HERE split_missing: rank 1: Barrier
}

static void* enter_barrier(void* twin) {
  if (me != 1) MPI_Barrier(*(MPI_Comm*)twin);  // HERE from_thread: ranks 0, 2, 3: Barrier
  return NULL;
}

static void from_thread(void) {
  pthread_t thread;
  MPI_Comm twin;
  MPI_Comm_dup(world, &twin);
  reached(1);
  pthread_create(&thread, NULL, enter_barrier, &twin);
  pthread_join(thread, NULL);
  MPI_Barrier(world);  // HERE from_thread: rank 1: Barrier
}

// Ranks that end, stop or do something else. The message names the last call, or the place from which the call below was made.
static void end_badly(void (*end)(void)) {
  MPI_Barrier(world);  // HERE exit_early: rank 1: exit code 3 // HERE killed: rank 1: signal 9 // HERE segv: rank 1: signal 11
  reached(1);
  if (me == 1) end();
  MPI_Barrier(world);
}

static void exit_3(void) { exit(3); }
static void exit_early(void) { end_badly(exit_3); }
static void kill_me(void) { kill(getpid(), SIGKILL); }
static void killed(void) { end_badly(kill_me); }

static void after_finalize(void) {
  reached(1);
  MPI_Finalize();
  if (me == 1) MPI_Barrier(world);  // HERE after_finalize: rank 1: after MPI_Finalize; Barrier
  exit(0);
}

static void enter_allreduce(int signal) {
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE in_handler: rank 1: signal handler; Allreduce
  (void)signal;
}
static void in_handler(void) {
  reached(1);
  if (me == 1) signal(SIGALRM, enter_allreduce), alarm(1);
  if (me == 2) sleep(3);
  MPI_Barrier(world);
}

static void quit_early(void) {
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE quit_early: rank 1: exit|without MPI_Finalize
  reached(1);
  if (me == 1) _exit(0);
  MPI_Barrier(world);
}

static void overstep(void) { *(volatile int*)NULL = 1; }
static void segv(void) { end_badly(overstep); }

static void stopped(void) {
  MPI_Allreduce(input, output, 4, MPI_DOUBLE, MPI_SUM, world);  // HERE stopped: rank 1: stopped
  reached(1);
  if (me == 1) raise(SIGSTOP);  // HERE stopped: rank 1: stopped
  MPI_Barrier(world);           // HERE stopped: ranks 0, 2, 3: Barrier
}

static void spins(void) {
  reached(1);
  if (me == 1) spin_for_ever();
  MPI_Barrier(world);  // HERE spins: ranks 0, 2, 3: Barrier
}

static void sleeps(void) {
  reached(1);
  if (me == 1) doze();
  MPI_Barrier(world);  // HERE sleeps: ranks 0, 2, 3: Barrier
}

static void reads(void) {
  int ends[2];
  char byte;
  reached(1);
  if (me == 1 && pipe(ends) == 0 && read(ends[0], &byte, 1) == 1) exit(1);  // HERE reads: rank 1: sleep|read
  MPI_Barrier(world);                                                       // HERE reads: ranks 0, 2, 3: Barrier
}

// Messages.
static void recv_without_send(void) {
  reached(1);
  if (me == 1)
    MPI_Recv(input, 4, MPI_DOUBLE, 3, 7, world, MPI_STATUS_IGNORE);  // HERE recv_without_send: rank 1: Recv; from (rank )?3; tag 7
  MPI_Barrier(world);                                                // HERE recv_without_send: ranks 0, 2, 3: Barrier
}

static void wrong_tag(void) {
  reached(1);
  if (me == 3) MPI_Send(input, 4, MPI_DOUBLE, 1, 8, world);
  if (me == 1)
    MPI_Recv(input, 4, MPI_DOUBLE, 3, 7, world, MPI_STATUS_IGNORE);  // HERE wrong_tag: rank 1: Recv; from (rank )?3; tag 7
  MPI_Barrier(world);                                                // HERE wrong_tag: ranks 0, 2, 3: Barrier
}

static void ssends(void) {
  reached(1);
  if (me < 2) MPI_Ssend(input, 4, MPI_DOUBLE, 1 - me, 7, world);  // HERE ssends: ranks 0, 1: Ssend; to (rank )?0; to (rank )?1
  MPI_Barrier(world);
}

static void recv_cycle(void) {
  MPI_Status status;
  reached(1);
  if (me >= 1 && me <= 3)
    MPI_Recv(input, 4, MPI_DOUBLE, me % 3 + 1, 7, world, &status);  // HERE recv_cycle: ranks 1, 2, 3: Recv; from (rank )?2
  MPI_Barrier(world);
}

static void wait_irecv(void) {
  MPI_Request request;
  reached(1);
  if (me == 1) {
    MPI_Irecv(input, 4, MPI_DOUBLE, 3, 7, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // HERE wait_irecv: rank 1: Wait
  }
  MPI_Barrier(world);  // HERE wait_irecv: ranks 0, 2, 3: Barrier
}

// No faults: the test watches with a limit of 2 s.
static void late_barrier(void) {
  reached(1);
  if (me == 1) spin(4.5);
  MPI_Barrier(world);  // HERE late_barrier: ranks 0, 2, 3: Barrier
  iterate(10);
}

static void all_late(void) {
  sleep(4);
  MPI_Barrier(world);
}

static void slow(void) {  // in each call another rank is late by less than the limit
  for (int i = 0; i < 5; ++i) {
    if (i % ranks == me) sleep(1);
    MPI_Barrier(world);
  }
}

static void busy_elsewhere(void) {  // the last rank waits, while the others make progress on another communicator
  MPI_Comm some;
  const double end = now() + 4;
  MPI_Comm_split(world, me < ranks - 1, me, &some);
  for (int goes_on = me < ranks - 1; goes_on;) {
    goes_on = now() < end;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, some);
    usleep(10000);
  }
  MPI_Barrier(world);
}

static void pings(void) {  // ranks 0 and 1 exchange messages, while the others wait
  const double end = now() + 4;
  for (int goes_on = me < 2; goes_on;) {
    goes_on = now() < end;
    if (me == 0) MPI_Send(&goes_on, 1, MPI_INT, 1, 1, world);
    if (me == 1) MPI_Recv(&goes_on, 1, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    usleep(10000);
  }
  MPI_Barrier(world);
}

// For launcher_test.sh.
static void ends_with_7(void) {
  MPI_Finalize();
  exit(7);
}

static void echoes(void) {  // rank 0 prints its standard input
  for (char line[100]; me == 0 && fgets(line, sizeof line, stdin);) printf("read: %s", line);
}

static volatile sig_atomic_t was_told = 0;
static void tell(int signal) {
  const char* said = signal == SIGUSR1 ? "got SIGUSR1\n" : "got SIGTERM\n";
  if (write(1, said, strlen(said)) > 0 && signal == SIGTERM) was_told = 1;
}

static void signals(void) {  // goes on until a rank gets SIGTERM
  signal(SIGUSR1, tell);
  signal(SIGTERM, tell);
  printf("rank %d: process %d of %d\n", me, getpid(), getppid());
  fflush(stdout);
  for (int ends = 0, mine; !ends;) {
    mine = was_told;
    MPI_Allreduce(&mine, &ends, 1, MPI_INT, MPI_MAX, world);
    usleep(10000);
  }
}

static void none(void) { iterate(190); }

static const struct {
  const char *name, *kind;
  void (*commit)(void);
} faults[] = {{"none", "quiet", none},
              {"all_late", "quiet", all_late},
              {"slow", "quiet", slow},
              {"busy_elsewhere", "quiet", busy_elsewhere},
              {"pings", "quiet", pings},
              {"late_barrier", "late", late_barrier},
              {"skip_barrier", "hang", skip_barrier},
              {"skip_allreduce", "hang", skip_allreduce},
              {"swap", "hang quick", swap},
              {"odd_branch", "hang", odd_branch},
              {"behind", "hang", behind},
              {"extra_barrier", "hang", extra_barrier},
              {"ibarrier_missing", "hang", ibarrier_missing},
              {"gather_root", "hang", gather_root},
              {"scatter_root", "hang", scatter_root},
              {"finalize_missing", "hang", finalize_missing},
              {"other_root", "check", other_root},
              {"scatter_other_root", "hang", scatter_other_root},
              {"other_operator", "check quick", other_operator},
              {"other_count", "check", other_count},
              {"other_type", "check", other_type},
              {"bcast_bytes", "check", bcast_bytes},
              {"alltoallv_pair", "check quick", alltoallv_pair},
              {"alltoallv_bytes", "check", alltoallv_bytes},
              {"other_communicator", "hang", other_communicator},
              {"two_communicators", "hang", two_communicators},
              {"split_missing", "hang", split_missing},
              {"from_thread", "hang", from_thread},
              {"exit_early", "ends", exit_early},
              {"quit_early", "ends", quit_early},
              {"after_finalize", "ends", after_finalize},
              {"in_handler", "hang", in_handler},
              {"killed", "ends", killed},
              {"segv", "ends", segv},
              {"stopped", "hang", stopped},
              {"spins", "hang quick", spins},
              {"sleeps", "hang", sleeps},
              {"reads", "hang", reads},
              {"recv_without_send", "hang quick", recv_without_send},
              {"wrong_tag", "hang", wrong_tag},
              {"ssends", "hang", ssends},
              {"recv_cycle", "hang", recv_cycle},
              {"wait_irecv", "hang", wait_irecv},
              {"ends_with_7", "launcher", ends_with_7},
              {"echoes", "launcher", echoes},
              {"signals", "launcher", signals}};

int main(int argc, char** argv) {
  const int count = sizeof faults / sizeof faults[0];
  const char* name = argc == 2 ? argv[1] : "list";
  int i = 0, provided;
  if (strcmp(name, "list") == 0) {
    for (i = 0; i < count; ++i) printf("%s 4 %s\n", faults[i].name, faults[i].kind);
    return 0;
  }
  while (i < count && strcmp(faults[i].name, name) != 0) ++i;
  if (i == count) return 2;
  MPI_Init_thread(&argc, &argv, faults[i].commit == from_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(world, &me);
  MPI_Comm_size(world, &ranks);
  iterate(10);
  faults[i].commit();
  MPI_Finalize();
  if (me == 0) puts("ended well");
  return 0;
}
