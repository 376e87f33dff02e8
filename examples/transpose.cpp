// SPDX-License-Identifier: BSD-3-Clause
// A matrix transposed by an alltoall, with one row for each rank and with several: the layouts of a plan do the rest. It runs on
// four threads, or as it is launched: mpirun -n 6 ./transpose
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

// Of a matrix with `k` rows for each rank, element (i, j) is n i + j; `rows` are this rank's.
bool transposes(Communicator& ranks, int k) {
  const int p = static_cast<int>(ranks.size()), me = static_cast<int>(ranks.rank()), n = k * p;
  const auto place = [&](int row, int column) { return (Bytes{row} * n + column) * static_cast<Bytes>(sizeof(int)); };
  std::vector<int> rows(static_cast<std::size_t>(k) * n), transposed(rows.size(), -1);
  for (int row = 0; row < k; ++row)
    for (int column = 0; column < n; ++column) rows[row * n + column] = n * (k * me + row) + column;

  // The block for a rank is k x k elements. With k = 1 it is one, and this is the canonical layout.
  Layouts layouts;
  for (int rank = 0; rank < p; ++rank)
    for (int row = 0; row < k; ++row) {
      layouts.input.push_back({place(row, k * rank), static_cast<Bytes>(k * sizeof(int))});
      for (int column = 0; column < k; ++column) layouts.output.push_back({place(column, k * rank + row), sizeof(int)});
    }
  const auto block = static_cast<Bytes>(k * k * sizeof(int));
  plan(ranks, Problem::alltoall(p, block), {.algorithm = "shift", .layouts = layouts}).execute(rows.data(), transposed.data());

  bool right = true;
  for (int row = 0; row < k; ++row)
    for (int column = 0; column < n; ++column) right = right && transposed[row * n + column] == n * column + k * me + row;
  return right;
}

bool run(Communicator& ranks) {
  const bool right_by_row = transposes(ranks, 1), right_by_block = transposes(ranks, 3);
  for (Rank turn = 0; turn < ranks.size(); ++turn, ranks.barrier())
    if (turn == ranks.rank())
      std::printf("rank %d got its row %s, and its block of three rows %s\n", static_cast<int>(turn),
                  right_by_row ? "right" : "wrong", right_by_block ? "right" : "wrong");
  return right_by_row && right_by_block;
}

int main() {
  if (choose_transport().transport != TransportKind::threads) return run(*launched_world()) ? 0 : 1;
  bool right[4];
  run_threads(4, [&](Communicator& ranks) { right[ranks.rank()] = run(ranks); });
  return right[0] && right[1] && right[2] && right[3] ? 0 : 1;
}
