// SPDX-License-Identifier: BSD-3-Clause
// A two-dimensional grid of cells. Each rank has n x n cells and a rim of its neighbours' cells. neighbor_alltoallw exchanges the
// rims; cells of a column lie apart. It runs on four threads, or as it is launched: mpirun -n 6 ./halo
#include <atomic>
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

constexpr Count n = 8, width = n + 2;  // cells in a row: n of this rank, and one of each neighbour

constexpr Bytes place(Count row, Count column) { return (row * width + column) * Bytes{sizeof(double)}; }
Layout row(Count y) { return {{place(y, 1), n * sizeof(double)}}; }
Layout column(Count x) { return shifted(strided(n, sizeof(double), place(1, 0)), place(1, x)); }

// In each step every cell becomes the mean of its four neighbours. x x + y y + time is a solution, and has no rounding errors.
bool steps(Communicator& ranks) {
  Count rows = 1;
  for (Count divisor = 1; divisor * divisor <= ranks.size(); ++divisor)
    if (ranks.size() % divisor == 0) rows = divisor;
  const Count columns = ranks.size() / rows, top = ranks.rank() / columns * n, left = ranks.rank() % columns * n;
  const auto solution = [&](Count row, Count column, int time) {
    const Count y = top + row, x = left + column;
    return static_cast<double>(x * x + y * y + time);
  };
  const auto is_outside = [&](Count row, Count column) {
    const Count y = top + row, x = left + column;
    return y == 0 || y == rows * n + 1 || x == 0 || x == columns * n + 1;
  };
  const Neighbors around({.dimensions = {rows, columns}, .periodic = {false, false}}, ranks.rank());
  const std::vector<Layout> sent{row(1), row(n), column(1), column(n)};  // to the ranks above, below, left, right
  const std::vector<Layout> received{row(0), row(n + 1), column(0), column(n + 1)};
  std::vector<double> cells(width * width), next(width * width);
  bool right = true;
  for (int time = 0; time < 20; ++time) {
    for (Count row = 0; row < width; ++row)
      for (Count column = 0; column < width; ++column)
        if (time == 0 || is_outside(row, column)) cells[row * width + column] = solution(row, column, time);
    neighbor_alltoallw(ranks, around, cells.data(), sent, cells.data(), received);
    for (Count row = 1; row <= n; ++row)
      for (Count column = 1; column <= n; ++column) {
        const double* here = &cells[row * width + column];
        next[row * width + column] = (here[-width] + here[-1] + here[1] + here[width]) / 4;
        right = right && next[row * width + column] == solution(row, column, time + 1);
      }
    cells.swap(next);
  }
  right = allreduce(ranks, right, op::land);
  if (ranks.rank() == 0)
    std::printf("20 steps on %d x %d ranks: %s\n", static_cast<int>(rows), static_cast<int>(columns), right ? "right" : "wrong");
  return right;
}

int main() {
  std::atomic<bool> right = true;
  run_launched(4, [&](Communicator& ranks) {
    if (!steps(ranks)) right = false;
  });
  return right ? 0 : 1;
}
