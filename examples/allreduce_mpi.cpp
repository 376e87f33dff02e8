// SPDX-License-Identifier: BSD-3-Clause
// A user's operator that does not commute: the composition of functions x -> a x + b. It is passed once as a C++ function and once
// as an MPI_Op.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "quadrille/mpi.hpp"
#include "quadrille/quadrille.hpp"

struct Line {
  double a, b;
  bool operator==(const Line&) const = default;
};

Line followed(const Line& first, const Line& second) { return {second.a * first.a, second.a * first.b + second.b}; }

// MPI's order: each element of `target` becomes source o target, where the source is from lower ranks.
void follow(void* source, void* target, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Line*>(source);
  auto* second = static_cast<Line*>(target);
  for (int i = 0; i < *count; ++i) second[i] = followed(first[i], second[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype line;
  MPI_Type_contiguous(2, MPI_DOUBLE, &line);
  MPI_Type_commit(&line);
  MPI_Op after;
  MPI_Op_create(follow, /*commute=*/0, &after);
  const auto ranks = quadrille::over(MPI_COMM_WORLD);
  const double me = static_cast<double>(ranks->rank());
  const std::vector<Line> mine{{2, me}, {1, 1}, {me, 1}};
  std::vector<Line> by_function(3), by_operator(3), expected(3);
  quadrille::allreduce(*ranks, mine, by_function, followed);
  quadrille::allreduce(*ranks, mine, by_operator, quadrille::operator_of(after, line));
  MPI_Allreduce(mine.data(), expected.data(), 3, line, after, MPI_COMM_WORLD);
  const bool same = by_function == expected && by_operator == expected;
  std::printf("rank %d got x -> %g x + %g, %s\n", static_cast<int>(me), by_function[0].a, by_function[0].b,
              same ? "as MPI_Allreduce did" : "but MPI_Allreduce did not");
  MPI_Op_free(&after);
  MPI_Type_free(&line);
  MPI_Finalize();
  return same ? 0 : 1;
}
