/* SPDX-License-Identifier: BSD-3-Clause
   Runs each collective of the C interface in every way in which a plan is executed, and compares the whole output, gaps included,
   with values that are calculated element by element. */
#include "support.h"

enum { n = 3, most_ranks = 8, room = 4 * most_ranks * most_ranks };

static const int64_t untouched = -1;

/* Element i of the block that rank `from` has for rank `to`. */
static int64_t element(int64_t from, int64_t to, int64_t i) { return 10000 * from + 100 * to + i; }

typedef struct buffers {
  int64_t input[room], output[room], expected[room];
} buffers;

static void clear(buffers* all) {
  for (int i = 0; i < room; ++i) all->input[i] = all->output[i] = all->expected[i] = untouched;
}

static void wait_by_tests(quadrille_request request) {
  int is_over = 0;
  while (!is_over) DO(quadrille_test(&request, &is_over));
  CHECK(request == NULL);
}

/* Executes the plan by each function, and frees it. In place, the one buffer has the input, which becomes `expected`. */
static void check_executions(quadrille_plan plan, const buffers* all, int one_buffer) {
  int64_t output[room];
  quadrille_request request;
  for (int way = 0; way < 4; ++way) {
    memcpy(output, one_buffer ? all->input : all->output, sizeof output);
    if (way == 0)
      DO(one_buffer ? quadrille_execute_in_place(plan, output) : quadrille_execute(plan, all->input, output));
    else
      DO(one_buffer ? quadrille_start_in_place(plan, output, &request) : quadrille_start(plan, all->input, output, &request));
    if (way == 1) wait_by_tests(request);
    if (way == 2) DO(quadrille_wait_all(1, &request));
    if (way == 3) {
      DO(quadrille_wait(&request));
      CHECK(request == NULL);
    }
    CHECK(memcmp(output, all->expected, sizeof output) == 0);
  }
  DO(quadrille_plan_free(&plan));
  CHECK(plan == NULL);
}

static void check_plan(quadrille_plan plan, const buffers* all) { check_executions(plan, all, 0); }
static void check_plan_in_place(quadrille_plan plan, const buffers* all) { check_executions(plan, all, 1); }

static const quadrille_plan_options in_place = {.in_place = 1};

static void check_exchanges(quadrille_group ranks, int64_t me, int64_t p, buffers* all) {
  quadrille_plan plan;
  for (int one_buffer = 0; one_buffer < 2; ++one_buffer) {
    const quadrille_plan_options* options = one_buffer ? &in_place : NULL;

    clear(all);
    for (int64_t j = 0; j < p; ++j)
      for (int i = 0; i < n; ++i) {
        all->input[j * n + i] = element(me, j, i);
        all->expected[j * n + i] = element(j, me, i);
      }
    DO(quadrille_plan_alltoall(ranks, n, sizeof(int64_t), options, &plan));
    check_executions(plan, all, one_buffer);

    clear(all);
    for (int i = 0; i < n; ++i) {
      all->input[(one_buffer ? me * n : 0) + i] = element(me, 0, i);
      for (int64_t j = 0; j < p; ++j) all->expected[j * n + i] = element(j, 0, i);
    }
    DO(quadrille_plan_allgather(ranks, n, sizeof(int64_t), options, &plan));
    check_executions(plan, all, one_buffer);
  }
}

static void check_rooted(quadrille_group ranks, int64_t root, int64_t me, int64_t p, buffers* all) {
  quadrille_plan plan;
  clear(all);
  for (int i = 0; i < n; ++i) {
    if (me == root) all->input[i] = element(root, 0, i);
    all->expected[i] = element(root, 0, i);
  }
  DO(quadrille_plan_broadcast(ranks, n, sizeof(int64_t), root, NULL, &plan));
  check_plan_in_place(plan, all);

  clear(all);
  for (int i = 0; i < n; ++i) {
    if (me == root)
      for (int64_t j = 0; j < p; ++j) all->input[j * n + i] = element(root, j, i);
    all->expected[i] = element(root, me, i);
  }
  DO(quadrille_plan_scatter(ranks, n, sizeof(int64_t), root, NULL, &plan));
  check_plan(plan, all);

  clear(all);
  for (int i = 0; i < n; ++i) {
    all->input[i] = element(me, 0, i);
    if (me == root)
      for (int64_t j = 0; j < p; ++j) all->expected[j * n + i] = element(j, 0, i);
  }
  DO(quadrille_plan_gather(ranks, n, sizeof(int64_t), root, NULL, &plan));
  check_plan(plan, all);
}

static void check_reductions(quadrille_group ranks, int64_t root, int64_t me, int64_t p, buffers* all) {
  quadrille_operator sum;
  quadrille_plan plan;
  DO(quadrille_built_in_operator("sum", "i64", &sum));

  int64_t total[n] = {0}, before[n] = {0}, mine[n] = {0};
  for (int i = 0; i < n; ++i)
    for (int64_t j = 0; j < p; ++j) {
      total[i] += element(j, 0, i);
      if (j < me) before[i] += element(j, 0, i);
      mine[i] += element(j, me, i);
    }

  clear(all);
  for (int i = 0; i < n; ++i) all->input[i] = element(me, 0, i);
  if (me == root) memcpy(all->expected, total, sizeof total);
  DO(quadrille_plan_reduce(ranks, n, sum, root, NULL, &plan));
  check_plan(plan, all);

  memcpy(all->expected, total, sizeof total);
  DO(quadrille_plan_allreduce(ranks, n, sum, NULL, &plan));
  check_plan(plan, all);
  DO(quadrille_plan_allreduce(ranks, n, sum, &in_place, &plan));
  check_plan_in_place(plan, all);

  for (int i = 0; i < n; ++i) all->expected[i] = before[i] + element(me, 0, i);
  DO(quadrille_plan_scan(ranks, n, sum, NULL, &plan));
  check_plan(plan, all);

  for (int i = 0; i < n; ++i) all->expected[i] = me == 0 ? untouched : before[i];
  DO(quadrille_plan_exscan(ranks, n, sum, NULL, &plan));
  check_plan(plan, all);

  clear(all);
  for (int64_t j = 0; j < p; ++j)
    for (int i = 0; i < n; ++i) all->input[j * n + i] = element(me, j, i);
  memcpy(all->expected, mine, sizeof mine);
  DO(quadrille_plan_reduce_scatter(ranks, n, sum, NULL, &plan));
  DO(quadrille_operator_free(&sum)); /* the plan keeps what it needs */
  CHECK(sum == NULL);
  check_plan(plan, all);
}

/* Elements that rank `from` sends to rank `to`; some blocks are empty. */
static int64_t length(int64_t from, int64_t to) { return (from + 2 * to) % 4; }

static void check_alltoallv(quadrille_group ranks, int64_t me, int64_t p, buffers* all) {
  quadrille_plan plan;
  int64_t send_counts[most_ranks], receive_counts[most_ranks], sent[most_ranks], received[most_ranks];
  for (int with_gaps = 0; with_gaps < 2; ++with_gaps) {
    int64_t next_sent = 0, next_received = 0;
    clear(all);
    for (int64_t j = 0; j < p; ++j) {
      const int64_t rank = with_gaps ? p - 1 - j : j; /* with gaps, the blocks lie in the opposite order */
      send_counts[rank] = length(me, rank);
      receive_counts[rank] = length(rank, me);
      sent[rank] = next_sent;
      received[rank] = next_received;
      for (int64_t i = 0; i < send_counts[rank]; ++i) all->input[sent[rank] + i] = element(me, rank, i);
      for (int64_t i = 0; i < receive_counts[rank]; ++i) all->expected[received[rank] + i] = element(rank, me, i);
      next_sent += send_counts[rank] + with_gaps;
      next_received += receive_counts[rank] + with_gaps;
    }
    DO(quadrille_plan_alltoallv(ranks, send_counts, with_gaps ? sent : NULL, receive_counts, with_gaps ? received : NULL,
                                sizeof(int64_t), NULL, &plan));
    check_plan(plan, all);
  }

  /* In place, the received blocks replace the sent ones, which have the same lengths. */
  int64_t next = 0;
  clear(all);
  for (int64_t rank = 0; rank < p; ++rank) {
    receive_counts[rank] = 1 + (me + rank) % 3;
    for (int64_t i = 0; i < receive_counts[rank]; ++i, ++next) {
      all->input[next] = element(me, rank, i);
      all->expected[next] = element(rank, me, i);
    }
  }
  DO(quadrille_plan_alltoallv(ranks, NULL, NULL, receive_counts, NULL, sizeof(int64_t), &in_place, &plan));
  check_plan_in_place(plan, all);

  /* In place, with send counts: blocks are received at places that overlap those of other sent blocks. */
  clear(all);
  for (int64_t rank = 0; rank < p; ++rank) {
    send_counts[rank] = receive_counts[rank] = 2;
    sent[rank] = 2 * rank;
    received[rank] = 2 * (p - 1 - rank) + 1;
    for (int64_t i = 0; i < 2; ++i) all->input[sent[rank] + i] = element(me, rank, i);
  }
  all->expected[0] = all->input[0]; /* the only element that is not received */
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t i = 0; i < 2; ++i) all->expected[received[rank] + i] = element(rank, me, i);
  DO(quadrille_plan_alltoallv(ranks, send_counts, sent, receive_counts, received, sizeof(int64_t), &in_place, &plan));
  check_plan_in_place(plan, all);
  received[0] = received[p - 1]; /* two blocks received at one place */
  if (p > 1)
    REFUSED(quadrille_plan_alltoallv(ranks, send_counts, sent, receive_counts, received, sizeof(int64_t), &in_place, &plan),
            QUADRILLE_MISUSE, "pieces of the output overlap");
}

static void check_irregular(quadrille_group ranks, int64_t root, int64_t me, int64_t p, buffers* all) {
  quadrille_plan plan;
  quadrille_operator least;
  int64_t counts[most_ranks], places[most_ranks];
  for (int64_t rank = 0; rank < p; ++rank) {
    counts[rank] = (rank + 1) % 3;
    places[rank] = 4 * (p - 1 - rank);
  }

  clear(all);
  for (int64_t i = 0; i < counts[me]; ++i) all->input[i] = element(me, 0, i);
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t i = 0; i < counts[rank]; ++i) all->expected[places[rank] + i] = element(rank, 0, i);
  DO(quadrille_plan_allgatherv(ranks, counts, places, sizeof(int64_t), NULL, &plan));
  check_plan(plan, all);

  if (me != root) memcpy(all->expected, all->output, sizeof all->output);
  DO(quadrille_plan_gatherv(ranks, counts[me], me == root ? counts : NULL, me == root ? places : NULL, sizeof(int64_t), root, NULL,
                            &plan));
  check_plan(plan, all);

  clear(all);
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t i = 0; i < counts[rank]; ++i) all->input[places[rank] + i] = element(root, rank, i);
  for (int64_t i = 0; i < counts[me]; ++i) all->expected[i] = element(root, me, i);
  DO(quadrille_plan_scatterv(ranks, me == root ? counts : NULL, me == root ? places : NULL, counts[me], sizeof(int64_t), root, NULL,
                             &plan));
  check_plan(plan, all);

  clear(all);
  int64_t next = 0;
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t i = 0; i < counts[rank]; ++i) all->input[next++] = element(p - me, rank, i); /* the last rank has the least */
  for (int64_t i = 0; i < counts[me]; ++i) all->expected[i] = element(1, me, i);
  DO(quadrille_built_in_operator("min", "i64", &least));
  DO(quadrille_plan_reduce_scatterv(ranks, counts, least, NULL, &plan));
  DO(quadrille_operator_free(&least));
  check_plan(plan, all);
}

/* Every other element of the input is sent, and the output is turned round. */
static void check_layouts(quadrille_group ranks, int64_t me, int64_t p, buffers* all) {
  quadrille_plan plan;
  quadrille_piece input[most_ranks], output[most_ranks];
  clear(all);
  for (int64_t j = 0; j < p; ++j) {
    input[j].offset = 16 * j;
    output[j].offset = 8 * (p - 1 - j);
    input[j].length = output[j].length = 8;
    all->input[2 * j] = element(me, j, 0);
    all->expected[p - 1 - j] = element(j, me, 0);
  }
  const quadrille_plan_options options = {
      .algorithm = "direct", .policy = "nonblocking", .input = {input, p}, .output = {output, p}};
  DO(quadrille_plan_alltoall(ranks, 1, sizeof(int64_t), &options, &plan));
  const char* algorithm;
  DO(quadrille_plan_algorithm(plan, &algorithm));
  CHECK(strncmp(algorithm, "direct", 6) == 0);
  check_plan(plan, all);
}

/* The map x -> factor x + term. Maps do not commute: `lower` is applied first. `context` counts the calls. */
typedef struct map {
  int64_t factor, term;
} map;

static void then(const void* lower, const void* upper, void* result, int64_t count, void* context) {
  const map *first = lower, *second = upper;
  map* both = result;
  for (int64_t i = 0; i < count; ++i) {
    const map made = {second[i].factor * first[i].factor, second[i].factor * first[i].term + second[i].term};
    both[i] = made;
  }
  *(int*)context = 1;
}

static void check_own_operator(quadrille_group ranks, int64_t me, int64_t p) {
  quadrille_operator operation;
  quadrille_plan plan;
  int was_called = 0;
  const map mine[2] = {{2, me}, {3, me + 1}};
  map all[2] = {{0, 0}, {0, 0}}, expected[2] = {{1, 0}, {1, 0}};
  for (int64_t rank = 0; rank < p; ++rank)
    for (int i = 0; i < 2; ++i) {
      expected[i].term = (2 + i) * expected[i].term + rank + i;
      expected[i].factor *= 2 + i;
    }
  DO(quadrille_operator_of_function(then, &was_called, sizeof(map), /*commutative=*/0, "then", &operation));
  const char* algorithms[] = {"auto", "recursive-doubling", "reduce-broadcast"};
  for (int way = 0; way < 3; ++way) {
    const quadrille_plan_options options = {.algorithm = algorithms[way]};
    DO(quadrille_plan_allreduce(ranks, 2, operation, &options, &plan));
    DO(quadrille_execute(plan, mine, all));
    CHECK(memcmp(all, expected, sizeof all) == 0);
    DO(quadrille_plan_free(&plan));
  }
  CHECK(was_called == (p > 1));
  DO(quadrille_operator_free(&operation));
}

static void check_pairs(quadrille_group ranks, int64_t me, int64_t p) {
  struct pair {
    double value;
    int32_t index;
  } mine = {-(double)(me / 2), (int32_t)me}, least = {0, 0};
  quadrille_operator operation;
  quadrille_plan plan;
  DO(quadrille_built_in_operator("minloc", "f64_i32", &operation));
  DO(quadrille_plan_allreduce(ranks, 1, operation, NULL, &plan));
  DO(quadrille_execute(plan, &mine, &least));
  CHECK(least.value == -(double)((p - 1) / 2) && least.index == (p - 1) / 2 * 2);
  DO(quadrille_plan_free(&plan));
  DO(quadrille_operator_free(&operation));
}

/* Two executions of one plan and one of another are open together, and end in another order. The plans are freed meanwhile. */
static void check_requests(quadrille_group ranks, int64_t me, int64_t p) {
  quadrille_operator sum;
  quadrille_plan adding, gathering;
  quadrille_request requests[4] = {NULL, NULL, NULL, NULL};
  const int64_t inputs[2] = {me, 10 * me}, sum_of_ranks = p * (p - 1) / 2;
  int64_t sums[2] = {0, 0}, all[most_ranks];
  DO(quadrille_built_in_operator("sum", "i64", &sum));
  DO(quadrille_plan_allreduce(ranks, 1, sum, NULL, &adding));
  DO(quadrille_plan_allgather(ranks, 1, sizeof(int64_t), NULL, &gathering));
  DO(quadrille_start(adding, &inputs[0], &sums[0], &requests[0]));
  DO(quadrille_start(gathering, &inputs[1], all, &requests[1]));
  DO(quadrille_start(adding, &inputs[1], &sums[1], &requests[3]));
  DO(quadrille_plan_free(&adding));
  DO(quadrille_plan_free(&gathering));
  DO(quadrille_operator_free(&sum));
  DO(quadrille_wait(&requests[3]));
  DO(quadrille_wait_all(4, requests)); /* requests that are over are NULL */
  for (int i = 0; i < 4; ++i) CHECK(requests[i] == NULL);
  CHECK(sums[0] == sum_of_ranks && sums[1] == 10 * sum_of_ranks);
  for (int64_t j = 0; j < p; ++j) CHECK(all[j] == 10 * j);
}

/* Only the root of a gather has one buffer; an exscan has no output on rank 0; a piece lies before the address of a buffer. */
static void check_differences_between_ranks(quadrille_group ranks, int64_t me, int64_t p) {
  quadrille_plan plan;
  quadrille_operator sum;
  int64_t mine = 10 + me, all[most_ranks] = {10};
  DO(quadrille_plan_gather(ranks, 1, sizeof mine, 0, me == 0 ? &in_place : NULL, &plan));
  if (me == 0)
    DO(quadrille_execute_in_place(plan, all));
  else
    DO(quadrille_execute(plan, &mine, NULL));
  for (int64_t rank = 0; rank < p && me == 0; ++rank) CHECK(all[rank] == 10 + rank);
  DO(quadrille_plan_free(&plan));

  const quadrille_piece before = {-(int64_t)sizeof mine, sizeof mine};
  const quadrille_plan_options options = {.input = {&before, 1}, .output = {&before, me > 0}},
                               one_too_many = {.output = {&before, 1}};
  int64_t result[2] = {-1, -2};
  DO(quadrille_built_in_operator("sum", "i64", &sum));
  DO(quadrille_plan_exscan(ranks, 1, sum, &options, &plan));
  DO(quadrille_execute(plan, &mine + 1, result + 1));
  CHECK(result[0] == (me == 0 ? -1 : 10 * me + me * (me - 1) / 2) && result[1] == -2);
  DO(quadrille_plan_free(&plan));
  REFUSED(quadrille_plan_exscan(ranks, 1, sum, &one_too_many, &plan), QUADRILLE_MISUSE, "the layout of the output has 8 bytes");
  DO(quadrille_operator_free(&sum));
}

/* Calls without a plan, each twice, so that the second one finds what the first one made. */
static void check_calls(quadrille_group ranks, int64_t me, int64_t p) {
  enum { size = sizeof(int64_t) };
  quadrille_operator sum;
  int64_t in[most_ranks], out[most_ranks], counts[most_ranks], places[most_ranks];
  const int64_t root = p - 1, sum_of_ranks = p * (p - 1) / 2;
  DO(quadrille_built_in_operator("sum", "i64", &sum));
  for (int time = 0; time < 2; ++time) {
    for (int64_t j = 0; j < p; ++j) in[j] = element(me, j, time), counts[j] = 1, places[j] = p - 1 - j;
    DO(quadrille_call_alltoall(ranks, in, out, 1, size));
    for (int64_t j = 0; j < p; ++j) CHECK(out[j] == element(j, me, time));
    DO(quadrille_call_alltoallv(ranks, in, counts, NULL, out, counts, places, size));
    for (int64_t j = 0; j < p; ++j) CHECK(out[p - 1 - j] == element(j, me, time));
    DO(quadrille_call_allgather(ranks, in, out, 1, size));
    for (int64_t j = 0; j < p; ++j) CHECK(out[j] == element(j, 0, time));
    DO(quadrille_call_scatter(ranks, me == root ? in : NULL, out, 1, size, root));
    CHECK(out[0] == element(root, me, time));
    DO(quadrille_call_gather(ranks, in, me == root ? out : NULL, 1, size, root));
    for (int64_t j = 0; j < p && me == root; ++j) CHECK(out[j] == element(j, 0, time));
    out[0] = me;
    DO(quadrille_call_broadcast(ranks, out, 1, size, root));
    CHECK(out[0] == root);
    for (int64_t j = 0; j < p; ++j) in[j] = me + j;
    DO(quadrille_call_reduce(ranks, in, me == root ? out : NULL, 1, sum, root));
    CHECK(me != root || out[0] == sum_of_ranks);
    DO(quadrille_call_allreduce(ranks, in, out, p, sum));
    for (int64_t j = 0; j < p; ++j) CHECK(out[j] == sum_of_ranks + p * j);
    DO(quadrille_call_reduce_scatter(ranks, in, out, 1, sum));
    CHECK(out[0] == sum_of_ranks + p * me);
    DO(quadrille_call_scan(ranks, in, out, 1, sum));
    CHECK(out[0] == me * (me + 1) / 2);
    out[0] = -1;
    DO(quadrille_call_exscan(ranks, in, out, 1, sum));
    CHECK(out[0] == (me == 0 ? -1 : me * (me - 1) / 2));
  }
  REFUSED(quadrille_call_alltoall(ranks, in, out, -1, size), QUADRILLE_MISUSE, "'count' is -1");
  REFUSED(quadrille_call_allgather(ranks, in, out, 1, 0), QUADRILLE_MISUSE, "'element_bytes' is 0");
  REFUSED(quadrille_call_broadcast(ranks, out, 1, size, p), QUADRILLE_MISUSE, "root");
  REFUSED(quadrille_call_alltoallv(ranks, in, NULL, NULL, out, counts, NULL, size), QUADRILLE_MISUSE, "'send_counts' is NULL");
  DO(quadrille_operator_free(&sum));
  REFUSED(quadrille_call_allreduce(ranks, in, out, 1, sum), QUADRILLE_MISUSE, "operator");
}

int check_collectives(quadrille_group ranks, void* unused) {
  int64_t me = -1, p = -1;
  buffers* all = malloc(sizeof *all);
  (void)unused;
  CHECK(all);
  DO(quadrille_group_rank(ranks, &me));
  DO(quadrille_group_size(ranks, &p));
  CHECK(0 <= me && me < p && p <= most_ranks);
  DO(quadrille_group_barrier(ranks));
  check_exchanges(ranks, me, p, all);
  check_alltoallv(ranks, me, p, all);
  for (int64_t root = 0; root<p; root += p> 1 ? p - 1 : 1) {
    check_rooted(ranks, root, me, p, all);
    check_reductions(ranks, root, me, p, all);
    check_irregular(ranks, root, me, p, all);
  }
  check_layouts(ranks, me, p, all);
  check_differences_between_ranks(ranks, me, p);
  check_own_operator(ranks, me, p);
  check_pairs(ranks, me, p);
  check_requests(ranks, me, p);
  check_calls(ranks, me, p);
  free(all);
  return 0;
}
