// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b by conjugate gradients, with A = tridiag(-1, 2.5, -1) and distributed rows. Scalar products are allreduces by one
// plan. It runs on four threads, or as it is launched: mpirun -n 6 ./conjugate_gradients_c
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille/c.h"

#define TRY(call)              \
  do {                         \
    const int error_ = (call); \
    if (error_) return error_; \
  } while (0)

enum { n = 50 };  // rows of each rank

// A rank's end of the solver, with a plan for each collective that it repeats.
typedef struct solver {
  quadrille_group ranks;
  int64_t me, p;
  quadrille_plan adding, gathering_ends;
  double* ends;  // the first and the last element of each rank's part
} solver;

static int make_solver(quadrille_group ranks, solver* made) {
  quadrille_operator sum;
  made->ranks = ranks;
  TRY(quadrille_group_rank(ranks, &made->me));
  TRY(quadrille_group_size(ranks, &made->p));
  TRY(quadrille_built_in_operator("sum", "f64", &sum));
  TRY(quadrille_plan_allreduce(ranks, 1, sum, NULL, &made->adding));
  TRY(quadrille_operator_free(&sum));
  TRY(quadrille_plan_allgather(ranks, 2, sizeof(double), NULL, &made->gathering_ends));
  made->ends = malloc(2 * (size_t)made->p * sizeof(double));
  return QUADRILLE_SUCCESS;
}

static int free_solver(solver* all) {
  free(all->ends);
  TRY(quadrille_plan_free(&all->adding));
  return quadrille_plan_free(&all->gathering_ends);
}

// y = A x. A row needs the elements before and after its own, so neighbouring ranks exchange the ends of their parts.
static int multiply(const solver* all, const double* x, double* y) {
  const double mine[2] = {x[0], x[n - 1]};
  TRY(quadrille_execute(all->gathering_ends, mine, all->ends));
  for (int64_t i = 0; i < n; ++i) {
    const double before = i > 0 ? x[i - 1] : all->me > 0 ? all->ends[2 * all->me - 1] : 0;
    const double behind = i + 1 < n ? x[i + 1] : all->me + 1 < all->p ? all->ends[2 * all->me + 2] : 0;
    y[i] = 2.5 * x[i] - before - behind;
  }
  return QUADRILLE_SUCCESS;
}

static int dot(const solver* all, const double* x, const double* y, double* product) {
  double mine = 0;
  for (int i = 0; i < n; ++i) mine += x[i] * y[i];
  return quadrille_execute(all->adding, &mine, product);
}

static int solve(const solver* all, const double* b, double* x) {
  double residual[n], direction[n], image[n], square, enough, length;
  for (int i = 0; i < n; ++i) {
    x[i] = 0;
    residual[i] = direction[i] = b[i];
  }
  TRY(dot(all, b, b, &square));  // equal on all ranks, so all leave the loop together
  enough = 1e-24 * square;
  for (int step = 0; step < 45 && square > enough; ++step) {
    double next;
    TRY(multiply(all, direction, image));
    TRY(dot(all, direction, image, &length));
    for (int i = 0; i < n; ++i) {
      x[i] += square / length * direction[i];
      residual[i] -= square / length * image[i];
    }
    TRY(dot(all, residual, residual, &next));
    for (int i = 0; i < n; ++i) direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
  return QUADRILLE_SUCCESS;
}

static double expected(int64_t row, int64_t end) { return row < 0 || row == end ? 0 : sin((double)(row * row)); }

static int run(quadrille_group ranks, void* unused) {
  solver all;
  double b[n], x[n], error = 0, greatest;
  (void)unused;
  TRY(make_solver(ranks, &all));
  const int64_t first = n * all.me, end = n * all.p;
  for (int i = 0; i < n; ++i) b[i] = 2.5 * expected(first + i, end) - expected(first + i - 1, end) - expected(first + i + 1, end);
  TRY(solve(&all, b, x));

  quadrille_operator max;
  quadrille_plan comparing;
  for (int i = 0; i < n; ++i) error = fmax(error, fabs(x[i] - expected(first + i, end)));
  TRY(quadrille_built_in_operator("max", "f64", &max));
  TRY(quadrille_plan_allreduce(ranks, 1, max, NULL, &comparing));
  TRY(quadrille_execute(comparing, &error, &greatest));
  TRY(quadrille_plan_free(&comparing));
  TRY(quadrille_operator_free(&max));
  if (all.me == 0) printf("%d unknowns, solved up to %.0e\n", (int)end, greatest);
  TRY(free_solver(&all));
  return greatest < 1e-9 ? QUADRILLE_SUCCESS : -1;
}

int main(void) {
  const int error = quadrille_run_launched(4, run, NULL);
  if (error) fprintf(stderr, "%s\n", quadrille_error_text());
  return error ? 1 : 0;
}
