/* SPDX-License-Identifier: BSD-3-Clause
   The tests of the C interface over MPI, and tests of the functions that take handles of MPI. Started by an mpirun. */
#include <mpi.h>

#include "quadrille/mpi_c.h"
#include "quadrille/mpi_collectives.h"
#include "support.h"

static void check_before_init(void) {
  quadrille_group ranks;
  quadrille_operator operation;
  REFUSED(quadrille_over(MPI_COMM_WORLD, &ranks), QUADRILLE_MISUSE, "call MPI_Init first");
  CHECK(ranks == NULL);
  REFUSED(quadrille_over_fortran(0, &ranks), QUADRILLE_MISUSE, "call MPI_Init first");
  REFUSED(quadrille_operator_of_mpi(MPI_SUM, MPI_INT, &operation), QUADRILLE_MISUSE, "call MPI_Init first");
}

static void check_groups(int me, int p) {
  quadrille_group ranks, again;
  quadrille_plan plan, plan_again;
  int64_t number = -1;
  REFUSED(quadrille_over(MPI_COMM_WORLD, NULL), QUADRILLE_MISUSE, "'ranks' is NULL");
  REFUSED(quadrille_over(MPI_COMM_NULL, &ranks), QUADRILLE_MISUSE, "MPI_COMM_NULL");
  REFUSED(quadrille_over_fortran(MPI_Comm_c2f(MPI_COMM_NULL), &ranks), QUADRILLE_MISUSE, "MPI_COMM_NULL");
#ifdef OPEN_MPI
  REFUSED(quadrille_over_fortran(123456, &ranks), QUADRILLE_MISUSE, "123456 is not the handle of a communicator in Fortran");
  REFUSED(quadrille_over_handle("openmpi", &number, 3, &ranks), QUADRILLE_MISUSE, "another MPI library");
#else
  REFUSED(quadrille_over_handle("mpich", &number, 3, &ranks), QUADRILLE_MISUSE, "another MPI library");
#endif
  if (p > 1) { /* an intercommunicator of the odd and the even ranks */
    MPI_Comm parity, between;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &parity);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - me % 2, 0, &between);
    REFUSED(quadrille_over(between, &ranks), QUADRILLE_MISUSE, "intercommunicator");
    MPI_Comm_free(&between);
    MPI_Comm_free(&parity);
  }

  /* By the handle of Fortran, a group of the odd and one of the even ranks. */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  DO(quadrille_over_fortran(MPI_Comm_c2f(half), &ranks));
  DO(quadrille_group_rank(ranks, &number));
  CHECK(number == me / 2);
  DO(quadrille_group_size(ranks, &number));
  CHECK(number == (p + (me + 1) % 2) / 2);
  DO(check_collectives(ranks, NULL));
  DO(quadrille_over(half, &again));
  CHECK(again != ranks); /* each group is freed alone */
  DO(quadrille_plan_broadcast(ranks, 1, sizeof(int), 0, NULL, &plan));
  DO(quadrille_plan_broadcast(again, 1, sizeof(int), 0, NULL, &plan_again));
  DO(quadrille_group_free(&ranks));
  DO(quadrille_group_free(&again));
  int value = me;
  DO(quadrille_execute_in_place(plan, &value));
  CHECK(value == me % 2);
  DO(quadrille_execute_in_place(plan_again, &value));
  DO(quadrille_plan_free(&plan));
  DO(quadrille_plan_free(&plan_again));
  MPI_Comm_free(&half);
}

/* In MPI's order: each element of `target` becomes source o target. Does not commute. */
static void last(void* source, void* target, int* count, MPI_Datatype* type) {
  (void)source, (void)target, (void)count, (void)type;
}

static void check_operators(quadrille_group ranks, int me, int p) {
  quadrille_operator operation;
  quadrille_plan plan;
  MPI_Op keep;
  int result = -1;
  REFUSED(quadrille_operator_of_mpi(MPI_OP_NULL, MPI_INT, &operation), QUADRILLE_MISUSE, "null handle of MPI");
  REFUSED(quadrille_operator_of_mpi(MPI_SUM, MPI_DATATYPE_NULL, &operation), QUADRILLE_MISUSE, "null handle of MPI");
  REFUSED(quadrille_operator_of_mpi(MPI_SUM, MPI_INT, NULL), QUADRILLE_MISUSE, "'made' is NULL");
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Op_create(last, /*commute=*/0, &keep);
  REFUSED(quadrille_operator_of_mpi(keep, pair, &operation), QUADRILLE_MISUSE, "the datatype is not committed");
  CHECK(operation == NULL);
  MPI_Type_commit(&pair);
  DO(quadrille_operator_of_mpi(keep, pair, &operation));
  DO(quadrille_operator_free(&operation));
  REFUSED(quadrille_operator_of_mpi(MPI_SUM, pair, &operation), QUADRILLE_MISUSE, "does not combine elements of this datatype");
  REFUSED(quadrille_operator_of_mpi(MPI_BAND, MPI_DOUBLE, &operation), QUADRILLE_MISUSE, "does not combine elements");
  REFUSED(quadrille_operator_of_mpi(MPI_MAXLOC, MPI_INT, &operation), QUADRILLE_MISUSE, "does not combine elements");
  REFUSED(quadrille_operator_of_mpi(MPI_REPLACE, MPI_INT, &operation), QUADRILLE_MISUSE, "for one-sided communication");
  REFUSED(quadrille_operator_of_mpi(MPI_NO_OP, MPI_INT, &operation), QUADRILLE_MISUSE, "for one-sided communication");
  DO(quadrille_operator_of_mpi(MPI_MAXLOC, MPI_DOUBLE_INT, &operation));
  DO(quadrille_operator_free(&operation));
  DO(quadrille_operator_of_mpi(MPI_BAND, MPI_BYTE, &operation));
  DO(quadrille_operator_free(&operation));
  MPI_Errhandler handler; /* is as it was */
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Op_free(&keep);
  MPI_Type_free(&pair);
  DO(quadrille_operator_of_mpi(MPI_SUM, MPI_INT, &operation));
  DO(quadrille_plan_allreduce(ranks, 1, operation, NULL, &plan));
  DO(quadrille_execute(plan, &me, &result));
  CHECK(result == p * (p - 1) / 2);
  DO(quadrille_plan_free(&plan));
  DO(quadrille_operator_free(&operation));

  MPI_Op_create(last, /*commute=*/0, &keep);
  DO(quadrille_operator_of_mpi(keep, MPI_INT, &operation));
  DO(quadrille_plan_allreduce(ranks, 1, operation, NULL, &plan));
  DO(quadrille_execute(plan, &me, &result));
  CHECK(result == p - 1);
  DO(quadrille_plan_free(&plan));
  DO(quadrille_operator_free(&operation));
  MPI_Op_free(&keep);
}

/* MPI's own signatures, of the same library. */
static void check_mpi_collectives(int me, int p) {
  int all[8];
  CHECK(p <= 8);
  CHECK(quadrille_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int rank = 0; rank < p; ++rank) CHECK(all[rank] == rank);
}

int main(int argc, char** argv) {
  int me, p;
  quadrille_group ranks, ranks_later;
  quadrille_plan plan;
  int input[8] = {0}, output[8];
  check_before_init();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  DO(quadrille_over(MPI_COMM_WORLD, &ranks));
  DO(check_collectives(ranks, NULL));
  DO(check_misuse(ranks, NULL));
  check_groups(me, p);
  check_operators(ranks, me, p);
  check_mpi_collectives(me, p);
  DO(quadrille_plan_alltoall(ranks, 1, sizeof(int), NULL, &plan));
  MPI_Finalize();
  REFUSED(quadrille_execute(plan, input, output), QUADRILLE_MISUSE, "MPI");
  REFUSED(quadrille_over_fortran(0, &ranks_later), QUADRILLE_MISUSE, "MPI has been finalised");
  DO(quadrille_plan_free(&plan));
  DO(quadrille_group_free(&ranks));
  return 0;
}
