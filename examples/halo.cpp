// SPDX-License-Identifier: BSD-3-Clause
// A two-dimensional grid of cells. Each rank has n x n cells and a rim of its neighbours' cells. One plan exchanges the rims as a
// sparse alltoallv, without packing. It runs on four threads, or as it is launched: mpirun -n 6 ./halo
#include <atomic>
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

constexpr Count n = 8, width = n + 2;  // cells in a row: n of this rank, and one of each neighbour

constexpr LayoutPiece cell(Count row, Count column) { return {(row * width + column) * Bytes{sizeof(double)}, sizeof(double)}; }

// Exchanges the rims of ranks that form a grid and are numbered row by row. The plan's input and output are one array of cells.
Plan rim_exchange(Communicator& ranks, Count rows, Count columns) {
  struct Side {
    Count down, right;
  };
  std::vector<TrafficEntry> entries;
  Layouts layouts;
  for (Rank rank = 0; rank < ranks.size(); ++rank)
    for (const auto [down, right] : {Side{-1, 0}, Side{0, -1}, Side{0, 1}, Side{1, 0}}) {  // neighbours in the order of their ranks
      const Count row = rank / columns + down, column = rank % columns + right;
      if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
      entries.push_back({.from = rank, .to = row * columns + column, .bytes = n * sizeof(double)});
      for (Count i = 1; rank == ranks.rank() && i <= n; ++i) {
        const Count y = down == 0 ? i : down < 0 ? 1 : n, x = right == 0 ? i : right < 0 ? 1 : n;
        layouts.input.push_back(cell(y, x));
        layouts.output.push_back(cell(y + down, x + right));
      }
    }
  return plan(ranks, Problem::alltoallv(ranks.size(), entries), {.layouts = layouts, .in_place = true});
}

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
  Plan exchange = rim_exchange(ranks, rows, columns);
  std::vector<double> cells(width * width), next(width * width);
  bool right = true;
  for (int time = 0; time < 20; ++time) {
    for (Count row = 0; row < width; ++row)
      for (Count column = 0; column < width; ++column)
        if (time == 0 || is_outside(row, column)) cells[row * width + column] = solution(row, column, time);
    exchange.execute_in_place(cells.data());
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
