// SPDX-License-Identifier: BSD-3-Clause
// Transposes a matrix, distributed by blocks of rows, by one alltoall: first with loops that pack the blocks for a typed call, then
// with a plan whose layouts say where the pieces lie. It runs on four threads, or as it is launched: mpirun -n 6 ./transpose
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

// Each rank has k rows of a matrix of n x n elements, row by row, and gets k rows of the transposed matrix. The block that two
// ranks exchange has k x k elements.
std::vector<double> transposed(Communicator& ranks, const std::vector<double>& rows, Count k) {
  const Count p = ranks.size(), n = k * p;
  std::vector<double> packed(rows.size()), received(rows.size()), result(rows.size());
  for (Rank rank = 0; rank < p; ++rank)
    for (Count column = 0; column < k; ++column)
      for (Count row = 0; row < k; ++row) packed[(rank * k + column) * k + row] = rows[row * n + rank * k + column];

  alltoall(ranks, packed, received);

  for (Rank rank = 0; rank < p; ++rank)
    for (Count row = 0; row < k; ++row) std::copy_n(&received[(rank * k + row) * k], k, &result[row * n + rank * k]);
  return result;
}

// The same without packing: the pieces of the input and of the output, in the order in which the blocks have them, in bytes.
std::vector<double> transposed_by_layouts(Communicator& ranks, const std::vector<double>& rows, Count k) {
  const Count p = ranks.size(), n = k * p;
  const Bytes element = sizeof(double);
  Layouts layouts;
  for (Rank rank = 0; rank < p; ++rank)
    for (Count row = 0; row < k; ++row) {
      layouts.input.push_back({(row * n + rank * k) * element, k * element});
      for (Count column = 0; column < k; ++column) layouts.output.push_back({(column * n + rank * k + row) * element, element});
    }
  std::vector<double> result(rows.size());
  Plan exchange = plan(ranks, Problem::alltoall(p, k * k * element), {.layouts = layouts});
  exchange.execute(rows.data(), result.data());
  return result;
}

bool transposes(Communicator& ranks) {
  const Count k = 3, n = k * ranks.size(), first = k * ranks.rank();
  std::vector<double> rows, expected;
  for (Count row = first; row < first + k; ++row)
    for (Count column = 0; column < n; ++column) {
      rows.push_back(static_cast<double>(n * row + column));
      expected.push_back(static_cast<double>(n * column + row));
    }
  const bool right = transposed(ranks, rows, k) == expected && transposed_by_layouts(ranks, rows, k) == expected;
  const bool all_right = allreduce(ranks, right, op::land);
  if (ranks.rank() == 0)
    std::printf("%d x %d elements transposed among %d ranks: %s\n", static_cast<int>(n), static_cast<int>(n),
                static_cast<int>(ranks.size()), all_right ? "right" : "wrong");
  return all_right;
}

int main() {
  std::atomic<bool> right = true;
  run_launched(4, [&](Communicator& ranks) {
    if (!transposes(ranks)) right = false;
  });
  return right ? 0 : 1;
}
