// SPDX-License-Identifier: BSD-3-Clause
// An MPI program whose MPI_Alltoall is Quadrille's: mpicxx -std=c++20 alltoall_mpi.cpp $(pkg-config --cflags --libs quadrille)
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include "quadrille/mpi.hpp"        // over(MPI_Comm); the only header that needs MPI's
#include "quadrille/quadrille.hpp"  // everything else

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::unique_ptr<quadrille::Communicator> ranks = quadrille::over(MPI_COMM_WORLD);
  const int me = static_cast<int>(ranks->rank()), p = static_cast<int>(ranks->size());  // they are 64-bit

  std::vector<int> input(p), output(p);
  std::iota(input.begin(), input.end(), 100 * me);  // the last two digits are the receiver
  quadrille::alltoall(ranks, input, output);        // was: MPI_Alltoall(input.data(), 1, MPI_INT, output.data(), 1, ...)

  std::printf("rank %d got %03d .. %03d\n", me, output.front(), output.back());
  MPI_Finalize();
}
