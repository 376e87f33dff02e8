// SPDX-License-Identifier: BSD-3-Clause
// y = A x with one element of A for each rank of a 4 x 4 grid: a broadcast down every column, a product at every rank, a sum along
// every row.
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "quadrille/quadrille.hpp"

constexpr int n = 4;

// Every row, or every column, is a group of n ranks; the n groups run at the same time.
void in_each_line(const std::function<void(int line, quadrille::Communicator& ranks)>& body) {
  std::vector<std::jthread> lines;
  for (int line = 0; line < n; ++line)
    lines.emplace_back([&body, line] { quadrille::run_threads(n, [&](quadrille::Communicator& ranks) { body(line, ranks); }); });
}

int main() {
  using namespace quadrille;
  double a[n][n], x[n], products[n][n], y[n];
  for (int i = 0; i < n; ++i) {
    x[i] = i + 1;  // the first row of ranks has it
    for (int j = 0; j < n; ++j) a[i][j] = 10 * i + j;
  }

  in_each_line([&](int column, Communicator& ranks) {
    const auto row = ranks.rank();
    Problem problem;
    problem.collective = Collective::broadcast;
    problem.ranks = n;
    problem.block_bytes = sizeof(double);
    double element = 0;
    plan(ranks, problem, {.algorithm = "binomial"}).execute(&x[column], &element);  // only the root's input is read
    products[row][column] = a[row][column] * element;
  });

  const auto sum = built_in_operator("sum", "f64");
  in_each_line([&](int row, Communicator& ranks) {
    const auto problem = reduction(Collective::reduce, n, /*elements=*/1, *sum);
    // Only the root's output is written.
    plan(ranks, problem, {.algorithm = "binomial", .operation = sum}).execute(&products[row][ranks.rank()], &y[row]);
  });

  bool all_right = true;
  for (int i = 0; i < n; ++i) {
    double expected = 0;
    for (int j = 0; j < n; ++j) expected += a[i][j] * x[j];
    const bool right = y[i] == expected;
    std::printf("rank %d got y[%d] = %g, which is %s\n", n * i, i, y[i], right ? "right" : "wrong");
    all_right = all_right && right;
  }
  return all_right ? 0 : 1;
}
