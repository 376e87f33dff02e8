// SPDX-License-Identifier: BSD-3-Clause
// The same over MPI: mpicxx alltoall_mpi.cpp $(pkg-config --cflags --libs quadrille) && mpirun -n 4 ./a.out
#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <vector>

#include "quadrille/mpi.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {  // the plan and its communicator go before MPI_Finalize
    auto ranks = quadrille::over(MPI_COMM_WORLD);
    auto exchange =
        quadrille::plan(*ranks, quadrille::Problem::alltoall(ranks->size(), sizeof(int)), {.algorithm = "bruck:radix=2"});
    std::vector<int> to_send(ranks->size()), received(ranks->size());
    std::iota(to_send.begin(), to_send.end(), 100 * ranks->rank());  // the last two digits are the receiver
    exchange.execute(to_send.data(), received.data());
    std::printf("rank %d got %03d .. %03d\n", static_cast<int>(ranks->rank()), received.front(), received.back());
  }
  MPI_Finalize();
}
