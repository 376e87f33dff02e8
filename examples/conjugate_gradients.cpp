// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b by conjugate gradients, with A = tridiag(-1, 2.5, -1) and distributed rows. Scalar products are allreduces.
// It runs on four threads, or as it is launched: mpirun -n 6 ./conjugate_gradients
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;
using Vector = std::vector<double>;  // this rank's part

// A x. A row needs the elements before and after its own, so neighbouring ranks exchange the ends of their parts.
Vector product(Communicator& ranks, const Vector& x) {
  const auto p = static_cast<std::size_t>(ranks.size()), me = static_cast<std::size_t>(ranks.rank());
  std::vector<double> ends(2 * p);
  allgather(ranks, std::array{x.front(), x.back()}, ends);
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double before = i > 0 ? x[i - 1] : me > 0 ? ends[2 * me - 1] : 0;
    const double behind = i + 1 < x.size() ? x[i + 1] : me + 1 < p ? ends[2 * me + 2] : 0;
    y[i] = 2.5 * x[i] - before - behind;
  }
  return y;
}

double dot(Communicator& ranks, const Vector& x, const Vector& y) {
  return allreduce(ranks, std::inner_product(x.begin(), x.end(), y.begin(), 0.0), op::sum);
}

void add(double factor, const Vector& x, Vector& sum) {
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += factor * x[i];
}

Vector solution(Communicator& ranks, const Vector& b) {
  Vector x(b.size()), residual = b, direction = b;
  const double enough = 1e-24 * dot(ranks, b, b);
  double square = dot(ranks, residual, residual);  // equal on all ranks, so all leave the loop together
  for (int step = 0; step < 45 && square > enough; ++step) {
    const Vector image = product(ranks, direction);
    const double length = square / dot(ranks, direction, image);
    add(length, direction, x);
    add(-length, image, residual);
    const double next = dot(ranks, residual, residual);
    for (double& each : direction) each *= next / square;
    add(1, residual, direction);
    square = next;
  }
  return x;
}

bool solves(Communicator& ranks) {
  const Count n = 50, first = n * ranks.rank(), end = n * ranks.size();  // n rows for each rank
  const auto expected = [&](Count row) { return row < 0 || row == end ? 0 : std::sin(static_cast<double>(row * row)); };
  Vector b;
  for (Count row = first; row < first + n; ++row) b.push_back(2.5 * expected(row) - expected(row - 1) - expected(row + 1));
  const Vector x = solution(ranks, b);
  double error = 0;
  for (Count i = 0; i < n; ++i) error = std::max(error, std::abs(x[i] - expected(first + i)));
  error = allreduce(ranks, error, op::max);
  if (ranks.rank() == 0) std::printf("%d unknowns, solved up to %.0e\n", static_cast<int>(end), error);
  return error < 1e-9;
}

int main() {
  std::atomic<bool> right = true;
  run_launched(4, [&](Communicator& ranks) {
    if (!solves(ranks)) right = false;
  });
  return right ? 0 : 1;
}
