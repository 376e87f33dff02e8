// SPDX-License-Identifier: BSD-3-Clause
// Transposes a matrix, distributed by blocks of rows, by one alltoall: first with loops that pack the blocks, then with a plan
// whose layouts say where the pieces lie. It runs on four threads, or as it is launched: mpirun -n 6 ./transpose_c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/c.h"

#define TRY(call)              \
  do {                         \
    const int error_ = (call); \
    if (error_) return error_; \
  } while (0)

// Each rank has k rows of a matrix of n x n elements, row by row, and gets k rows of the transposed matrix. The block that two
// ranks exchange has k x k elements. `packed` and `received` have room for k rows.
static int transpose(quadrille_group ranks, int64_t p, int64_t k, const double* rows, double* packed, double* received,
                     double* result) {
  const int64_t n = k * p;
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t column = 0; column < k; ++column)
      for (int64_t row = 0; row < k; ++row) packed[(rank * k + column) * k + row] = rows[row * n + rank * k + column];

  quadrille_plan exchange;
  TRY(quadrille_plan_alltoall(ranks, k * k, sizeof(double), NULL, &exchange));
  TRY(quadrille_execute(exchange, packed, received));
  TRY(quadrille_plan_free(&exchange));

  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t row = 0; row < k; ++row)
      memcpy(&result[row * n + rank * k], &received[(rank * k + row) * k], (size_t)k * sizeof(double));
  return QUADRILLE_SUCCESS;
}

// The same without packing. `input` and `output` have room for the pieces, k and k x k for each rank, which are listed in the order
// in which the blocks have them, in bytes.
static int transpose_by_layouts(quadrille_group ranks, int64_t p, int64_t k, const double* rows, quadrille_piece* input,
                                quadrille_piece* output, double* result) {
  const int64_t n = k * p, element = sizeof(double);
  int64_t inputs = 0, outputs = 0;
  for (int64_t rank = 0; rank < p; ++rank)
    for (int64_t row = 0; row < k; ++row) {
      input[inputs++] = (quadrille_piece){(row * n + rank * k) * element, k * element};
      for (int64_t column = 0; column < k; ++column)
        output[outputs++] = (quadrille_piece){(column * n + rank * k + row) * element, element};
    }

  const quadrille_plan_options options = {.input = {input, inputs}, .output = {output, outputs}};
  quadrille_plan exchange;
  TRY(quadrille_plan_alltoall(ranks, k * k, sizeof(double), &options, &exchange));
  TRY(quadrille_execute(exchange, rows, result));
  return quadrille_plan_free(&exchange);
}

static int run(quadrille_group ranks, void* unused) {
  int64_t me, p;
  (void)unused;
  TRY(quadrille_group_rank(ranks, &me));
  TRY(quadrille_group_size(ranks, &p));
  const int64_t k = 3, n = k * p, first = k * me;
  const size_t elements = (size_t)(k * n);
  double* memory = malloc(6 * elements * sizeof(double));
  quadrille_piece* pieces = malloc(2 * elements * sizeof(quadrille_piece));
  double *rows = memory, *expected = rows + elements, *packed = expected + elements, *received = packed + elements;
  double *result = received + elements, *by_layouts = result + elements;
  for (int64_t row = 0; row < k; ++row)
    for (int64_t column = 0; column < n; ++column) {
      rows[row * n + column] = (double)(n * (first + row) + column);
      expected[row * n + column] = (double)(n * column + first + row);
    }

  TRY(transpose(ranks, p, k, rows, packed, received, result));
  TRY(transpose_by_layouts(ranks, p, k, rows, pieces, pieces + elements, by_layouts));
  int32_t right =
      memcmp(result, expected, elements * sizeof(double)) == 0 && memcmp(by_layouts, expected, elements * sizeof(double)) == 0;

  quadrille_operator land;
  quadrille_plan agreeing;
  const quadrille_plan_options in_place = {.in_place = 1};
  TRY(quadrille_built_in_operator("land", "i32", &land));
  TRY(quadrille_plan_allreduce(ranks, 1, land, &in_place, &agreeing));
  TRY(quadrille_execute_in_place(agreeing, &right));
  TRY(quadrille_plan_free(&agreeing));
  TRY(quadrille_operator_free(&land));
  if (me == 0) printf("%d x %d elements transposed among %d ranks: %s\n", (int)n, (int)n, (int)p, right ? "right" : "wrong");
  free(memory);
  free(pieces);
  return right ? QUADRILLE_SUCCESS : -1;
}

int main(void) {
  const int error = quadrille_run_launched(4, run, NULL);
  if (error) fprintf(stderr, "%s\n", quadrille_error_text());
  return error ? 1 : 0;
}
