/* SPDX-License-Identifier: BSD-3-Clause
   The tests of the C interface on threads, and tests of the functions that start threads. */
#include "support.h"

/* Rank 0 fails; the others wait for it in vain. */
static int fails(quadrille_group ranks, void* value) {
  int64_t me;
  CHECK(strcmp(quadrille_error_text(), "") == 0); /* of this thread */
  DO(quadrille_group_rank(ranks, &me));
  if (me == 0) return *(int*)value;
  REFUSED(quadrille_group_barrier(ranks), QUADRILLE_PEER_LOST, "");
  return QUADRILLE_PEER_LOST;
}

/* Returns the code of an error of Quadrille, as programs do. */
static int misuses(quadrille_group ranks, void* unused) {
  quadrille_plan plan;
  (void)unused;
  return quadrille_plan_broadcast(ranks, 1, 1, -7, NULL, &plan);
}

static int keeps(quadrille_group ranks, void* kept) {
  *(quadrille_group*)kept = ranks;
  return 0;
}

static int frees(quadrille_group ranks, void* unused) {
  (void)unused;
  DO(quadrille_group_free(&ranks));
  return 0;
}

/* Just below the limit. Not over MPI, where so much data is split into more messages than memory holds. */
static int plans_nearly_too_much(quadrille_group ranks, void* unused) {
  (void)unused;
  int64_t p;
  quadrille_plan plan;
  DO(quadrille_group_size(ranks, &p));
  DO(quadrille_plan_broadcast(ranks, (((int64_t)1 << 62) - 1) / p, 1, 0, NULL, &plan));
  DO(quadrille_plan_free(&plan));
  REFUSED(quadrille_plan_broadcast(ranks, (((int64_t)1 << 62) - 1) / p + 1, 1, 0, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
  return 0;
}

int main(void) {
  CHECK(strcmp(quadrille_error_text(), "") == 0);
  for (int64_t p = 1; p <= 5; ++p) DO(quadrille_run_threads(p, check_collectives, NULL));
  DO(quadrille_run_threads(1, check_misuse, NULL));
  DO(quadrille_run_threads(3, check_misuse, NULL));
  DO(quadrille_run_threads(1, plans_nearly_too_much, NULL));
  DO(quadrille_run_threads(2, plans_nearly_too_much, NULL));
  DO(quadrille_run_launched(2, check_collectives, NULL));

  int value = 77;
  REFUSED(quadrille_run_threads(3, fails, &value), 77, "a rank's function returned 77, not 0");
  value = QUADRILLE_MALFORMED; /* but no function of Quadrille has returned it */
  REFUSED(quadrille_run_threads(3, fails, &value), QUADRILLE_MALFORMED, "a rank's function returned 2, not 0");
  REFUSED(quadrille_run_threads(3, misuses, NULL), QUADRILLE_MISUSE, "-7");
  REFUSED(quadrille_run_threads(3, NULL, NULL), QUADRILLE_MISUSE, "'body' is NULL");
  REFUSED(quadrille_run_launched(3, NULL, NULL), QUADRILLE_MISUSE, "'body' is NULL");
  REFUSED(quadrille_run_threads(0, keeps, NULL), QUADRILLE_MISUSE, "a group needs at least one rank");
  REFUSED(quadrille_run_threads(-1, keeps, NULL), QUADRILLE_MISUSE, "a group needs at least one rank");

  quadrille_group ranks = NULL;
  int64_t number;
  DO(quadrille_run_threads(1, keeps, &ranks));
  REFUSED(quadrille_group_size(ranks, &number), QUADRILLE_MISUSE, "the group has been freed");
  DO(quadrille_run_threads(2, frees, NULL));
  REFUSED(quadrille_launched_world(NULL), QUADRILLE_MISUSE, "'ranks' is NULL");
  REFUSED(quadrille_launched_world(&ranks), QUADRILLE_MISUSE, "");
  CHECK(ranks == NULL);
  puts("right");
  return 0;
}
