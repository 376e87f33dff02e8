/* SPDX-License-Identifier: BSD-3-Clause
   Wrong arguments of the C interface: each gives its code and a sentence, and leaves the group usable. */
#include "support.h"

static void add(const void* lower, const void* upper, void* result, int64_t count, void* context) {
  (void)context;
  for (int64_t i = 0; i < count; ++i) ((char*)result)[i] = (char)(((const char*)lower)[i] + ((const char*)upper)[i]);
}

static void check_groups(quadrille_group ranks) {
  int64_t number = 0;
  quadrille_group none = NULL, copy = ranks;
  REFUSED(quadrille_group_rank(NULL, &number), QUADRILLE_MISUSE, "the handle of the group is NULL; make the group first");
  REFUSED(quadrille_group_rank(ranks, NULL), QUADRILLE_MISUSE, "'rank' is NULL");
  REFUSED(quadrille_group_size((quadrille_group)(void*)&number, &number), QUADRILLE_MISUSE, "is not the handle of any group");
  REFUSED(quadrille_group_size(ranks, NULL), QUADRILLE_MISUSE, "'size' is NULL");
  REFUSED(quadrille_group_barrier(NULL), QUADRILLE_MISUSE, "the handle of the group is NULL");
  REFUSED(quadrille_group_abort(NULL, 1), QUADRILLE_MISUSE, "the handle of the group is NULL");
  REFUSED(quadrille_group_free(NULL), QUADRILLE_MISUSE, "'ranks' is NULL; give the address of a variable");
  DO(quadrille_group_free(&none));
  REFUSED(quadrille_over_handle(NULL, &number, 8, &copy), QUADRILLE_MISUSE, "is NULL; give both");
  CHECK(copy == NULL);
  REFUSED(quadrille_over_handle("nompi", &number, 8, &copy), QUADRILLE_ENVIRONMENT, "the plug-in for nompi is not installed");
}

static void check_operators(void) {
  quadrille_operator made = (quadrille_operator)(void*)&made, freed;
  REFUSED(quadrille_built_in_operator("sum", "f64", NULL), QUADRILLE_MISUSE, "'made' is NULL");
  REFUSED(quadrille_built_in_operator(NULL, "f64", &made), QUADRILLE_MISUSE, "is NULL; give both");
  CHECK(made == NULL);
  REFUSED(quadrille_built_in_operator("sum", NULL, &made), QUADRILLE_MISUSE, "is NULL; give both");
  REFUSED(quadrille_built_in_operator("som", "f64", &made), QUADRILLE_MISUSE, "som");
  REFUSED(quadrille_built_in_operator("band", "f64", &made), QUADRILLE_MISUSE, "f64");
  REFUSED(quadrille_operator_of_function(NULL, NULL, 1, 1, "add", &made), QUADRILLE_MISUSE, "'combine' is NULL; give a function");
  REFUSED(quadrille_operator_of_function(add, NULL, 0, 1, "add", &made), QUADRILLE_MISUSE, "'element_bytes' is 0");
  DO(quadrille_operator_of_function(add, NULL, 1, 1, NULL, &made));
  freed = made;
  DO(quadrille_operator_free(&made));
  DO(quadrille_operator_free(&made));
  REFUSED(quadrille_operator_free(&freed), QUADRILLE_MISUSE, "the operator has been freed");
}

static void check_plans(quadrille_group ranks) {
  quadrille_plan plan = (quadrille_plan)(void*)&plan;
  quadrille_operator sum;
  int64_t counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const int64_t negative[8] = {1, 1, 1, 1, 1, 1, 1, -1};
  int64_t me, p;
  DO(quadrille_group_rank(ranks, &me));
  DO(quadrille_group_size(ranks, &p));
  DO(quadrille_built_in_operator("sum", "i32", &sum));
  REFUSED(quadrille_plan_alltoall(NULL, 1, 4, NULL, &plan), QUADRILLE_MISUSE, "the handle of the group is NULL");
  CHECK(plan == NULL);
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, NULL, NULL), QUADRILLE_MISUSE, "'plan' is NULL");
  REFUSED(quadrille_plan_alltoall(ranks, 1, 0, NULL, &plan), QUADRILLE_MISUSE,
          "'element_bytes' is 0; an element has 1 byte or more");
  REFUSED(quadrille_plan_alltoall(ranks, -1, 4, NULL, &plan), QUADRILLE_MISUSE, "-");
  REFUSED(quadrille_plan_alltoall(ranks, INT64_MAX, 8, NULL, &plan), QUADRILLE_TOO_LARGE, "");
  REFUSED(quadrille_plan_alltoall(ranks, me == 0 ? -1 : 1, 4, NULL, &plan), QUADRILLE_MISUSE, ""); /* on all ranks */
  REFUSED(quadrille_plan_broadcast(ranks, 1, 4, p, NULL, &plan), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_plan_gather(ranks, 1, 4, -1, NULL, &plan), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_plan_allreduce(ranks, 1, NULL, NULL, &plan), QUADRILLE_MISUSE, "the handle of the operator is NULL");
  REFUSED(quadrille_plan_allreduce(ranks, 1, (quadrille_operator)(void*)ranks, NULL, &plan), QUADRILLE_MISUSE,
          "is not the handle of any operator");
  REFUSED(quadrille_plan_alltoallv(ranks, NULL, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "counts");
  REFUSED(quadrille_plan_alltoallv(ranks, counts, NULL, NULL, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "counts");
  REFUSED(quadrille_plan_alltoallv(ranks, negative + 8 - p, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "-1");
  const int64_t two[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  REFUSED(quadrille_plan_alltoallv(ranks, me == 0 ? two : counts, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "rank 0");
  REFUSED(quadrille_plan_allgather(ranks, 1 + me, 4, NULL, &plan), QUADRILLE_MISUSE, "rank"); /* different sizes */
  REFUSED(quadrille_plan_allgatherv(ranks, NULL, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "counts");
  REFUSED(quadrille_plan_gatherv(ranks, 1, NULL, NULL, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "counts");
  REFUSED(quadrille_plan_scatterv(ranks, counts, NULL, me == 0 ? 2 : 1, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "counts[0]");
  REFUSED(quadrille_plan_reduce_scatterv(ranks, NULL, sum, NULL, &plan), QUADRILLE_MISUSE, "counts");

  quadrille_plan_options options = {.algorithm = "brick"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "brick");
  options = (quadrille_plan_options){.effort = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE,
          "there is no effort 'none'; choose estimate, measure, exhaustive or wisdom_only");
  options = (quadrille_plan_options){.policy = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "blocking, nonblocking or dataflow");
  options = (quadrille_plan_options){.executor = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "automatic, mpi, shared or hybrid");
  options = (quadrille_plan_options){.buffers = 3, .algorithm = "direct"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "buffers");
  options = (quadrille_plan_options){.input = {NULL, -1}};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE,
          "the layout of the input has -1 pieces; it has 0 or more");
  options = (quadrille_plan_options){.output = {NULL, 2}};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE,
          "the layout of the output has 2 pieces at NULL; give their address");
  const quadrille_piece piece = {0, 4};
  options = (quadrille_plan_options){.input = {&piece, 1}};
  REFUSED(quadrille_plan_alltoallv(ranks, counts, NULL, counts, NULL, 4, &options, &plan), QUADRILLE_MISUSE, "leave layouts out");
  CHECK(plan == NULL);
  DO(quadrille_operator_free(&sum));
}

static void check_executions(quadrille_group ranks) {
  quadrille_plan plan, in_place, freed;
  quadrille_request request = (quadrille_request)(void*)&request, over;
  const quadrille_plan_options one_buffer = {.in_place = 1};
  const char* algorithm;
  int32_t input[8] = {0}, output[8];
  int is_over = 0;
  DO(quadrille_plan_alltoall(ranks, 1, 4, NULL, &plan));
  DO(quadrille_plan_alltoall(ranks, 1, 4, &one_buffer, &in_place));
  REFUSED(quadrille_execute(NULL, input, output), QUADRILLE_MISUSE, "the handle of the plan is NULL");
  REFUSED(quadrille_execute((quadrille_plan)(void*)ranks, input, output), QUADRILLE_MISUSE, "is not the handle of any plan");
  REFUSED(quadrille_execute(plan, NULL, output), QUADRILLE_MISUSE, "null");
  REFUSED(quadrille_execute(plan, input, NULL), QUADRILLE_MISUSE, "null");
  REFUSED(quadrille_execute(plan, input, input), QUADRILLE_MISUSE, "overlap");
  REFUSED(quadrille_execute_in_place(plan, output), QUADRILLE_MISUSE, "not made in place");
  REFUSED(quadrille_execute(in_place, input, output), QUADRILLE_MISUSE, "made in place");
  REFUSED(quadrille_execute_in_place(in_place, NULL), QUADRILLE_MISUSE, "null");
  REFUSED(quadrille_start(plan, input, NULL, &request), QUADRILLE_MISUSE, "null");
  CHECK(request == NULL);
  REFUSED(quadrille_start(plan, input, output, NULL), QUADRILLE_MISUSE, "'request' is NULL"); /* nothing was started */
  REFUSED(quadrille_start_in_place(plan, output, &request), QUADRILLE_MISUSE, "not made in place");
  REFUSED(quadrille_plan_algorithm(plan, NULL), QUADRILLE_MISUSE, "'algorithm' is NULL");
  REFUSED(quadrille_plan_algorithm(NULL, &algorithm), QUADRILLE_MISUSE, "the handle of the plan is NULL");

  DO(quadrille_start(plan, input, output, &request));
  over = request;
  REFUSED(quadrille_test(&request, NULL), QUADRILLE_MISUSE, "'is_over' is NULL");
  REFUSED(quadrille_test(NULL, &is_over), QUADRILLE_MISUSE, "'request' is NULL");
  DO(quadrille_wait(&request));
  REFUSED(quadrille_wait(&over), QUADRILLE_MISUSE, "the request has been freed");
  REFUSED(quadrille_test(&over, &is_over), QUADRILLE_MISUSE, "the request has been freed");
  CHECK(!is_over);
  DO(quadrille_wait(&request)); /* NULL is over */
  DO(quadrille_test(&request, &is_over));
  CHECK(is_over);
  REFUSED(quadrille_wait(NULL), QUADRILLE_MISUSE, "'request' is NULL");
  REFUSED(quadrille_wait_all(-1, &request), QUADRILLE_MISUSE, "'count' is -1");
  REFUSED(quadrille_wait_all(1, NULL), QUADRILLE_MISUSE, "'requests' is NULL");
  DO(quadrille_wait_all(0, NULL));

  /* A wrong request is refused before the others are waited for. */
  quadrille_request both[2] = {NULL, over};
  DO(quadrille_start(plan, input, output, &both[0]));
  REFUSED(quadrille_wait_all(2, both), QUADRILLE_MISUSE, "the request has been freed");
  CHECK(both[0] != NULL);
  DO(quadrille_wait(&both[0]));

  freed = plan;
  DO(quadrille_plan_free(&plan));
  DO(quadrille_plan_free(&plan));
  DO(quadrille_plan_free(&in_place));
  REFUSED(quadrille_execute(freed, input, output), QUADRILLE_MISUSE, "the plan has been freed");
  REFUSED(quadrille_plan_free(&freed), QUADRILLE_MISUSE, "the plan has been freed");
  REFUSED(quadrille_plan_free(NULL), QUADRILLE_MISUSE, "'plan' is NULL");

  /* A handle that is not made yet: the next one of this kind. */
  DO(quadrille_plan_alltoall(ranks, 1, 4, NULL, &plan));
  REFUSED(quadrille_execute((quadrille_plan)(void*)((uintptr_t)plan + ((uintptr_t)1 << 30)), input, output), QUADRILLE_MISUSE,
          "is not the handle of any plan");
  DO(quadrille_plan_free(&plan));
}

int check_misuse(quadrille_group ranks, void* unused) {
  (void)unused;
  check_groups(ranks);
  check_operators();
  check_plans(ranks);
  check_executions(ranks);
  return 0;
}
