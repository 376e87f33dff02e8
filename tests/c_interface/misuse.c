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
  REFUSED(quadrille_plan_alltoall(ranks, -1, 4, NULL, &plan), QUADRILLE_MISUSE, "'count' is -1; it is 0 or more");
  REFUSED(quadrille_plan_broadcast(ranks, 1, 4, p, NULL, &plan), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_plan_gather(ranks, 1, 4, -1, NULL, &plan), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_plan_allreduce(ranks, 1, NULL, NULL, &plan), QUADRILLE_MISUSE, "the handle of the operator is NULL");
  REFUSED(quadrille_plan_allreduce(ranks, 1, (quadrille_operator)(void*)ranks, NULL, &plan), QUADRILLE_MISUSE,
          "is not the handle of any operator");
  REFUSED(quadrille_plan_alltoallv(ranks, NULL, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE,
          "'send_counts' is NULL; give a count for each of the");
  REFUSED(quadrille_plan_alltoallv(ranks, counts, NULL, NULL, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "'receive_counts' is NULL");
  REFUSED(quadrille_plan_alltoallv(ranks, negative + 8 - p, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "-1");
  const int64_t two[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  REFUSED(quadrille_plan_alltoallv(ranks, me == 0 ? two : counts, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "rank 0");
  REFUSED(quadrille_plan_allgather(ranks, 1 + me, 4, NULL, &plan), QUADRILLE_MISUSE, "rank"); /* different sizes */
  REFUSED(quadrille_plan_allgatherv(ranks, NULL, NULL, 4, NULL, &plan), QUADRILLE_MISUSE, "'receive_counts' is NULL");
  REFUSED(quadrille_plan_gatherv(ranks, 1, NULL, NULL, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "'receive_counts' is NULL");
  REFUSED(quadrille_plan_gatherv(ranks, -1, counts, NULL, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "'count' is -1");
  REFUSED(quadrille_plan_scatterv(ranks, counts, NULL, me == 0 ? 2 : 1, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "counts[0]");
  REFUSED(quadrille_plan_scatterv(ranks, NULL, NULL, 1, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "'send_counts' is NULL");
  REFUSED(quadrille_plan_reduce_scatterv(ranks, NULL, sum, NULL, &plan), QUADRILLE_MISUSE, "'counts' is NULL");

  quadrille_plan_options options = {.algorithm = "brick"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "brick");
  options = (quadrille_plan_options){.effort = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE,
          "there is no effort 'none'; choose estimate, measure, exhaustive or wisdom_only");
  options = (quadrille_plan_options){.policy = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "blocking, nonblocking or dataflow");
  options = (quadrille_plan_options){.executor = "none"};
  REFUSED(quadrille_plan_alltoall(ranks, 1, 4, &options, &plan), QUADRILLE_MISUSE, "there is no executor 'none'; choose automatic, mpi, shared");
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

static void combine_nothing(const void* lower, const void* upper, void* result, int64_t count, void* context) {
  (void)lower, (void)upper, (void)result, (void)count, (void)context;
}

/* 2^62 bytes on all ranks together, and products of a count and a size that overflow. One rank reaches the limit, too. */
static void check_sizes(quadrille_group ranks) {
  const int64_t limit = (int64_t)1 << 62, too_many[2] = {limit, INT64_MAX}, bytes[2] = {1, 8};
  int64_t counts[8] = {0};
  quadrille_plan plan;
  for (int i = 0; i < 2; ++i) {
    const int64_t n = too_many[i], e = bytes[i];
    quadrille_operator operation;
    counts[0] = n;
    DO(quadrille_operator_of_function(combine_nothing, NULL, e, 1, NULL, &operation));
    REFUSED(quadrille_plan_alltoall(ranks, n, e, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_allgather(ranks, n, e, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_broadcast(ranks, n, e, 0, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_scatter(ranks, n, e, 0, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_gather(ranks, n, e, 0, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_reduce(ranks, n, operation, 0, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_allreduce(ranks, n, operation, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_reduce_scatter(ranks, n, operation, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_scan(ranks, n, operation, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_exscan(ranks, n, operation, NULL, &plan), QUADRILLE_TOO_LARGE, "2^62 bytes");
    REFUSED(quadrille_plan_allgatherv(ranks, counts, NULL, e, NULL, &plan), QUADRILLE_TOO_LARGE, "bytes");
    REFUSED(quadrille_plan_reduce_scatterv(ranks, counts, operation, NULL, &plan), QUADRILLE_TOO_LARGE, "bytes");
    DO(quadrille_operator_free(&operation));
  }
}

/* An argument that is wrong on the last rank alone is refused on all, which go on. */
static void check_wrong_on_one_rank(quadrille_group ranks) {
  quadrille_plan plan;
  quadrille_operator sum;
  int64_t me, p, counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  DO(quadrille_group_rank(ranks, &me));
  DO(quadrille_group_size(ranks, &p));
  DO(quadrille_built_in_operator("sum", "i32", &sum));
  const int last = me == p - 1;
  const quadrille_plan_options good = {0}, bad[] = {{.algorithm = "none"}, {.effort = "none"},      {.policy = "none"},
                                                    {.executor = "none"},  {.input = {NULL, 1}},    {.output = {NULL, -1}},
                                                    {.buffers = 3},        {.algorithm = "direct:"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    REFUSED(quadrille_plan_alltoall(ranks, 1, 4, last ? &bad[i] : &good, &plan), QUADRILLE_MISUSE, last ? "" : "rank ");
  REFUSED(quadrille_plan_alltoall(ranks, last ? -1 : 1, 4, NULL, &plan), QUADRILLE_MISUSE, "'count' is -1");
  REFUSED(quadrille_plan_alltoall(ranks, 1, last ? 0 : 4, NULL, &plan), QUADRILLE_MISUSE, "'element_bytes' is 0");
  REFUSED(quadrille_plan_broadcast(ranks, 1, 4, last ? -1 : 0, NULL, &plan), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_plan_allreduce(ranks, 1, last ? NULL : sum, NULL, &plan), QUADRILLE_MISUSE, "the operator is NULL");
  REFUSED(quadrille_plan_gatherv(ranks, last ? -1 : 1, counts, NULL, 4, 0, NULL, &plan), QUADRILLE_MISUSE, "'count' is -1");
  REFUSED(quadrille_plan_alltoallv(ranks, last ? NULL : counts, NULL, counts, NULL, 4, NULL, &plan), QUADRILLE_MISUSE,
          "'send_counts' is NULL");
  DO(quadrille_operator_free(&sum));
  DO(quadrille_group_barrier(ranks));
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
  REFUSED(quadrille_execute_in_place(in_place, NULL), QUADRILLE_MISUSE, "buffer is a null pointer");
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

  /* The requests before and after a wrong one are waited for; the first error is returned. */
  quadrille_request three[3] = {NULL, over, NULL};
  int32_t second[8];
  for (int i = 0; i < 8; ++i) input[i] = 5, output[i] = second[i] = -1;
  DO(quadrille_start(plan, input, output, &three[0]));
  DO(quadrille_start(plan, input, second, &three[2]));
  REFUSED(quadrille_wait_all(3, three), QUADRILLE_MISUSE, "the request has been freed");
  CHECK(three[0] == NULL && three[1] == over && three[2] == NULL);
  CHECK(output[0] == 5 && second[0] == 5);

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
  int64_t p;
  (void)unused;
  DO(quadrille_group_size(ranks, &p));
  check_groups(ranks);
  check_operators();
  check_sizes(ranks);
  if (p == 1) return 0; /* no rank can differ from another */
  check_plans(ranks);
  check_wrong_on_one_rank(ranks);
  check_executions(ranks);
  return 0;
}
