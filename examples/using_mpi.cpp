// SPDX-License-Identifier: BSD-3-Clause
// The code of docs/using.md for programs that call MPI themselves; the page quotes the lines between "part" and "end".
// mpirun -n 4 ./using_mpi
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "quadrille/mpi.hpp"
#include "quadrille/mpi_layout.hpp"
#include "quadrille/quadrille.hpp"

using namespace quadrille;

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void groups() {
  // part: groups
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, /*key=*/0, &half);
  std::unique_ptr<Communicator> members = over(half);
  const int first = allreduce(*members, me, op::min);
  members.reset();
  MPI_Comm_free(&half);
  // end
  check(first == me % 2, "groups");
}

// In MPI's order: each element of `target` becomes source o target.
void add_mod_7(void* source, void* target, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(target)[i] = (static_cast<int*>(source)[i] + static_cast<int*>(target)[i]) % 7;
}

int sum_mod_7(Communicator& ranks, int mine) {
  MPI_Op add;
  MPI_Op_create(add_mod_7, /*commute=*/1, &add);
  const int sum = allreduce(ranks, mine, add);
  MPI_Op_free(&add);
  return sum;
}

void datatypes(Communicator& ranks) {
  const int p = static_cast<int>(ranks.size());
  // Column r of a matrix of 10 rows and p columns goes to rank r; p blocks of 10 elements come back, one after the other.
  MPI_Datatype strided, column;
  MPI_Type_vector(/*count=*/10, /*blocklength=*/1, /*stride=*/p, MPI_DOUBLE, &strided);
  MPI_Type_create_resized(strided, 0, sizeof(double), &column);  // the next column begins one element later
  std::vector<double> matrix(10 * p), columns(10 * p);
  for (int i = 0; i < 10 * p; ++i) matrix[i] = i % p;
  Plan exchange = plan(ranks, Problem::alltoall(p, 10 * sizeof(double)), {.layouts = {.input = layout_of(p, column)}});
  MPI_Type_free(&column);  // the layout does not need it any more
  MPI_Type_free(&strided);
  exchange.execute(matrix.data(), columns.data());
  for (const double each : columns) check(each == static_cast<double>(ranks.rank()), "datatypes");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    std::unique_ptr<Communicator> ranks = over(MPI_COMM_WORLD);
    groups();
    const Count p = ranks->size();
    check(sum_mod_7(*ranks, static_cast<int>(ranks->rank())) == p * (p - 1) / 2 % 7, "MPI_Op");
    datatypes(*ranks);
  }
  MPI_Finalize();
}
