// SPDX-License-Identifier: BSD-3-Clause
// An operator of one's own, which does not commute: functions x -> a x + b, one after the other.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "quadrille/mpi.hpp"

struct Line {
  double a, b;
};

// MPI's order: each of `target` becomes source o target, the source's rank being the lower one.
void then(void* source, void* target, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Line*>(source);
  auto* second = static_cast<Line*>(target);
  for (int i = 0; i < *count; ++i) second[i] = {second[i].a * first[i].a, second[i].a * first[i].b + second[i].b};
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype line;
  MPI_Type_contiguous(2, MPI_DOUBLE, &line);
  MPI_Type_commit(&line);
  MPI_Op after;
  MPI_Op_create(then, /*commute=*/0, &after);
  bool same = true;
  {  // the plan and its communicator go before MPI_Finalize
    using namespace quadrille;
    auto ranks = over(MPI_COMM_WORLD);
    const auto operation = operator_of(after, line);
    const auto problem = reduction(Collective::allreduce, ranks->size(), /*elements=*/3, *operation);
    auto all = plan(*ranks, problem, {.algorithm = "recursive-doubling", .operation = operation});
    const double me = static_cast<double>(ranks->rank());
    const std::vector<Line> mine{{2, me}, {1, 1}, {me, 1}};
    std::vector<Line> result(3), expected(3);
    all.execute(mine.data(), result.data());
    MPI_Allreduce(mine.data(), expected.data(), 3, line, after, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) same = same && result[i].a == expected[i].a && result[i].b == expected[i].b;
    std::printf("rank %d got x -> %g x + %g, %s\n", static_cast<int>(ranks->rank()), result[0].a, result[0].b,
                same ? "as MPI_Allreduce did" : "but MPI_Allreduce did not");
  }
  MPI_Op_free(&after);
  MPI_Type_free(&line);
  MPI_Finalize();
  return same ? 0 : 1;
}
