// SPDX-License-Identifier: BSD-3-Clause
// y = A x over MPI, with one element of A for each rank of an n x n grid: mpirun -n 9 ./matrix_vector_mpi
#include <mpi.h>

#include <cstdio>
#include <span>

#include "quadrille/mpi.hpp"
#include "quadrille/quadrille.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, all = 0, n = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  while (n * n < all) ++n;
  bool right = n * n == all;
  if (!right && me == 0) std::printf("%d ranks are no square grid; take 4, 9 or 16\n", all);
  if (right) {
    using namespace quadrille;
    const int i = me / n, j = me % n;
    const double a = 10 * i + j, x = j + 1;  // only x at rank (0, j), the root of column j, is used
    MPI_Comm column_members, row_members;    // in both, ranks keep their order
    MPI_Comm_split(MPI_COMM_WORLD, j, me, &column_members);
    MPI_Comm_split(MPI_COMM_WORLD, i, me, &row_members);
    const auto column = over(column_members), row = over(row_members);

    double element = x;
    broadcast(*column, element);  // from rank (0, j)
    double product = a * element, y = 0;
    reduce(*row, std::span(&product, 1), std::span(&y, 1), op::sum);  // to rank (i, 0)
    MPI_Comm_free(&column_members);
    MPI_Comm_free(&row_members);

    if (j == 0) {  // the root of row i
      double expected = 0;
      for (int k = 0; k < n; ++k) expected += (10 * i + k) * (k + 1);
      right = y == expected;
      std::printf("rank %d got y[%d] = %g, which is %s\n", me, i, y, right ? "right" : "wrong");
    }
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
