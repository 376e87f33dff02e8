// SPDX-License-Identifier: BSD-3-Clause
// Keys sorted across ranks: sample sort with alltoallv. It runs on four threads, or as it is launched: mpirun -n 6 ./sample_sort_c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/c.h"

#define TRY(call)              \
  do {                         \
    const int error_ = (call); \
    if (error_) return error_; \
  } while (0)

typedef uint64_t key;

static int compare(const void* a, const void* b) {
  const key x = *(const key*)a, y = *(const key*)b;
  return (x > y) - (x < y);
}

static void sort(key* keys, int64_t count) { qsort(keys, (size_t)count, sizeof(key), compare); }

static int execute_once(quadrille_plan plan, const void* input, void* output) {
  TRY(quadrille_execute(plan, input, output));
  return quadrille_plan_free(&plan);
}

// Each rank gives at least one key and gets a part of all keys, sorted. No key of a rank is less than one of a lower rank. Sorts
// `keys`. The caller frees `received`.
static int sort_across(quadrille_group ranks, int64_t p, key* keys, int64_t count, key** received, int64_t* received_count) {
  quadrille_plan plan;
  key* samples = malloc((size_t)(p + p * p) * sizeof(key));
  int64_t* send_counts = malloc(2 * (size_t)p * sizeof(int64_t));
  key* const all_samples = samples + p;
  int64_t* const receive_counts = send_counts + p;
  sort(keys, count);

  // p keys of each rank, at regular distances, tell how all keys are distributed.
  for (int64_t i = 0; i < p; ++i) samples[i] = keys[i * count / p];
  TRY(quadrille_plan_allgather(ranks, p, sizeof(key), NULL, &plan));
  TRY(execute_once(plan, samples, all_samples));
  sort(all_samples, p * p);

  // Rank r gets the keys from sample p r up to sample p (r + 1).
  int64_t first = 0;
  for (int64_t rank = 0; rank < p; ++rank) {
    int64_t last = rank + 1 < p ? first : count;
    if (rank + 1 < p)
      while (last < count && keys[last] < all_samples[p * (rank + 1)]) ++last;
    send_counts[rank] = last - first;
    first = last;
  }
  TRY(quadrille_plan_alltoall(ranks, 1, sizeof(int64_t), NULL, &plan));
  TRY(execute_once(plan, send_counts, receive_counts));

  *received_count = 0;
  for (int64_t rank = 0; rank < p; ++rank) *received_count += receive_counts[rank];
  *received = malloc((size_t)(*received_count + 1) * sizeof(key));  // one more, since malloc(0) may return NULL
  TRY(quadrille_plan_alltoallv(ranks, send_counts, NULL, receive_counts, NULL, sizeof(key), NULL, &plan));
  TRY(execute_once(plan, keys, *received));
  sort(*received, *received_count);
  free(samples);
  free(send_counts);
  return QUADRILLE_SUCCESS;
}

// Sets *value to the result of an allreduce.
static int combine(quadrille_group ranks, const char* operation, uint64_t* value) {
  const quadrille_plan_options in_place = {.in_place = 1};
  quadrille_operator made;
  quadrille_plan plan;
  TRY(quadrille_built_in_operator(operation, "u64", &made));
  TRY(quadrille_plan_allreduce(ranks, 1, made, &in_place, &plan));
  TRY(quadrille_execute_in_place(plan, value));
  TRY(quadrille_plan_free(&plan));
  return quadrille_operator_free(&made);
}

// Sets *greatest to the greatest of the values of all lower ranks; on rank 0 it stays as it is.
static int greatest_of_lower_ranks(quadrille_group ranks, key mine, key* greatest) {
  quadrille_operator max;
  quadrille_plan plan;
  TRY(quadrille_built_in_operator("max", "u64", &max));
  TRY(quadrille_plan_exscan(ranks, 1, max, NULL, &plan));
  TRY(quadrille_operator_free(&max));
  return execute_once(plan, &mine, greatest);
}

static int run(quadrille_group ranks, void* unused) {
  int64_t me, p, mine_count;
  (void)unused;
  TRY(quadrille_group_rank(ranks, &me));
  TRY(quadrille_group_size(ranks, &p));
  const int64_t count = 1000 + 100 * me;
  key *keys = malloc((size_t)count * sizeof(key)), *mine;
  uint64_t sum_difference = 0, state = 1 + (uint64_t)me;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    keys[i] = (state >> 33) % 5000;
    sum_difference += keys[i];
  }

  TRY(sort_across(ranks, p, keys, count, &mine, &mine_count));

  key before = 0;  // the greatest key of all lower ranks
  TRY(greatest_of_lower_ranks(ranks, mine_count ? mine[mine_count - 1] : 0, &before));
  uint64_t sorted = 1, lost = (uint64_t)(count - mine_count);
  for (int64_t i = 0; i < mine_count; ++i) {
    if (mine[i] < (i ? mine[i - 1] : before)) sorted = 0;
    sum_difference -= mine[i];
  }
  TRY(combine(ranks, "land", &sorted));
  TRY(combine(ranks, "sum", &lost));
  TRY(combine(ranks, "sum", &sum_difference));
  const int same = lost == 0 && sum_difference == 0;
  if (me == 0)
    printf("keys among %d ranks: %s, %s\n", (int)p, sorted ? "sorted" : "not sorted",
           same ? "and all are there" : "but not all are there");
  free(keys);
  free(mine);
  return sorted && same ? QUADRILLE_SUCCESS : -1;
}

int main(void) {
  const int error = quadrille_run_launched(4, run, NULL);
  if (error) fprintf(stderr, "%s\n", quadrille_error_text());
  return error ? 1 : 0;
}
