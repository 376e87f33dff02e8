// SPDX-License-Identifier: BSD-3-Clause
// y = A x with one element of A for each rank of a 4 x 4 grid: a broadcast down every column, a product at every rank, a sum along
// every row.
#include <cstdio>
#include <functional>
#include <span>
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
    double element = x[column];
    broadcast(ranks, element);  // from the first row
    products[ranks.rank()][column] = a[ranks.rank()][column] * element;
  });

  in_each_line([&](int row, Communicator& ranks) {
    double sum = 0;
    reduce(ranks, std::span(&products[row][ranks.rank()], 1), std::span(&sum, 1), op::sum);
    if (ranks.rank() == 0) y[row] = sum;  // only the root has it
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
