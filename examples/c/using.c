// SPDX-License-Identifier: BSD-3-Clause
// The code of docs/c.md; the page quotes the lines between "part" and "end". It runs on four threads, or as it is launched:
// mpirun -n 6 ./using_c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/c.h"

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

// Returns the error of a call from the function that makes it.
#define TRY(call)              \
  do {                         \
    const int error_ = (call); \
    if (error_) return error_; \
  } while (0)

static int regular(quadrille_group ranks, int64_t me, int64_t p) {
  enum { n = 100 };
  double* input = calloc(2 * (size_t)p * n, sizeof(double));
  double* output = input + p * n;
  for (int64_t i = 0; i < p * n; ++i) input[i] = (double)me;
  quadrille_plan exchange;
  TRY(quadrille_plan_alltoall(ranks, 100, sizeof(double), NULL, &exchange));  // 100 elements for each rank
  for (int step = 0; step < 10; ++step) TRY(quadrille_execute(exchange, input, output));
  TRY(quadrille_plan_free(&exchange));
  check(output[p * n - 1] == (double)(p - 1), "plan");

  // part: options
  const quadrille_plan_options options = {.algorithm = "bruck:radix=2", .policy = "dataflow"};
  const char* algorithm;
  TRY(quadrille_plan_alltoall(ranks, 100, sizeof(double), &options, &exchange));
  TRY(quadrille_plan_algorithm(exchange, &algorithm));
  if (me == 0) printf("%s\n", algorithm);
  // end
  TRY(quadrille_execute(exchange, input, output));
  check(output[n] == (p > 1 ? 1 : 0), "options");
  TRY(quadrille_plan_free(&exchange));
  free(input);
  return QUADRILLE_SUCCESS;
}

static int in_place(quadrille_group ranks, int64_t me, int64_t p) {
  int* all = malloc((size_t)p * sizeof(int));
  double step = me == 0 ? 0.25 : 0;
  quadrille_plan gathering, telling;
  const quadrille_plan_options one_buffer = {.in_place = 1};
  TRY(quadrille_plan_allgather(ranks, 1, sizeof(int), &one_buffer, &gathering));
  all[me] = (int)(me * me);
  TRY(quadrille_execute_in_place(gathering, all));  // every rank's block is already in its place

  TRY(quadrille_plan_broadcast(ranks, 1, sizeof(double), /*root=*/0, NULL, &telling));  // always in place
  TRY(quadrille_execute_in_place(telling, &step));
  check(all[p - 1] == (int)((p - 1) * (p - 1)) && step == 0.25, "in place");
  TRY(quadrille_plan_free(&gathering));
  TRY(quadrille_plan_free(&telling));
  free(all);
  return QUADRILLE_SUCCESS;
}

static int irregular(quadrille_group ranks, int64_t me, int64_t p) {
  int64_t* counts = malloc(2 * (size_t)p * sizeof(int64_t));
  int64_t* places = counts + p;
  int* table = calloc((size_t)(p * p + p), sizeof(int));
  int* mine = table + p * p;
  for (int64_t i = 0; i <= me; ++i) mine[i] = (int)(10 * me + i);
  quadrille_plan gathering;
  for (int64_t rank = 0; rank < p; ++rank) {  // rank i gives i + 1 elements, and has room for p
    counts[rank] = rank + 1;
    places[rank] = rank * p;
  }
  TRY(quadrille_plan_allgatherv(ranks, counts, places, sizeof(int), NULL, &gathering));
  TRY(quadrille_execute(gathering, mine, table));
  check(table[p * p - 1] == (int)(11 * (p - 1)) && table[p > 1] == 0, "irregular");
  TRY(quadrille_plan_free(&gathering));
  free(counts);
  free(table);
  return QUADRILLE_SUCCESS;
}

// part: own operator
typedef struct line {
  double a, b;  // the function x -> a x + b
} line;

static void then(const void* lower, const void* upper, void* result, int64_t count, void* context) {
  const line *first = lower, *second = upper;
  line* both = result;
  (void)context;
  for (int64_t i = 0; i < count; ++i) {
    const line made = {second[i].a * first[i].a, second[i].a * first[i].b + second[i].b};
    both[i] = made;
  }
}
// end

static int operators(quadrille_group ranks, int64_t me, int64_t p) {
  const double mine = (double)me;
  double longest = -1;
  // part: operators
  quadrille_operator max, in_order;
  quadrille_plan comparing, composing;
  TRY(quadrille_built_in_operator("max", "f64", &max));
  TRY(quadrille_plan_allreduce(ranks, 1, max, NULL, &comparing));
  TRY(quadrille_execute(comparing, &mine, &longest));

  const line own = {2, mine};
  line all;
  TRY(quadrille_operator_of_function(then, NULL, sizeof(line), /*commutative=*/0, "then", &in_order));
  TRY(quadrille_plan_allreduce(ranks, 1, in_order, NULL, &composing));
  TRY(quadrille_execute(composing, &own, &all));  // in rank order
  // end
  double factor = 1, term = 0;
  for (int64_t rank = 0; rank < p; ++rank) factor *= 2, term = 2 * term + (double)rank;
  check(longest == (double)(p - 1) && all.a == factor && all.b == term, "operators");
  TRY(quadrille_operator_free(&max));
  TRY(quadrille_operator_free(&in_order));
  TRY(quadrille_plan_free(&comparing));
  return quadrille_plan_free(&composing);
}

static void compute(void) {}

static int requests(quadrille_group ranks, int64_t me, int64_t p) {
  double input = (double)me, sum = 0;
  double* output = malloc((size_t)p * sizeof(double));
  quadrille_operator addition;
  quadrille_plan gathering, adding;
  TRY(quadrille_built_in_operator("sum", "f64", &addition));
  TRY(quadrille_plan_allgather(ranks, 1, sizeof(double), NULL, &gathering));
  TRY(quadrille_plan_allreduce(ranks, 1, addition, NULL, &adding));
  // part: requests
  quadrille_request requests[2];
  int is_over = 0;
  TRY(quadrille_start(gathering, &input, output, &requests[0]));
  TRY(quadrille_start(adding, &input, &sum, &requests[1]));  // further ones may be started
  while (!is_over) {
    compute();
    TRY(quadrille_test(&requests[1], &is_over));  // `sum` is complete if it is over
  }
  TRY(quadrille_wait_all(2, requests));  // requests[1] is NULL, and over
  // end
  check(output[p - 1] == (double)(p - 1) && sum == (double)(p * (p - 1) / 2), "requests");
  free(output);
  TRY(quadrille_operator_free(&addition));
  TRY(quadrille_plan_free(&gathering));
  return quadrille_plan_free(&adding);
}

static int errors(quadrille_group ranks) {
  quadrille_plan plan;
  char said[200] = "";
  const int error = quadrille_plan_broadcast(ranks, 1, sizeof(int), /*root=*/-1, NULL, &plan);
  if (error == QUADRILLE_MISUSE) snprintf(said, sizeof said, "%s", quadrille_error_text());  // the root is -1; ranks are 0 to 3
  check(strstr(said, "the root is -1") != NULL && plan == NULL, "errors");
  return QUADRILLE_SUCCESS;
}

static int use(quadrille_group ranks, int64_t me, int64_t p) {
  TRY(regular(ranks, me, p));
  TRY(in_place(ranks, me, p));
  TRY(irregular(ranks, me, p));
  TRY(operators(ranks, me, p));
  TRY(requests(ranks, me, p));
  return errors(ranks);
}

// part: run
static int run(quadrille_group ranks, void* context) {
  int64_t me, p;
  (void)context;
  TRY(quadrille_group_rank(ranks, &me));
  TRY(quadrille_group_size(ranks, &p));
  return use(ranks, me, p);
}

int main(void) {
  const int error = quadrille_run_launched(4, run, NULL);  // four threads, unless a launcher started this process
  if (error) fprintf(stderr, "%s\n", quadrille_error_text());
  return error ? 1 : 0;
}
// end
