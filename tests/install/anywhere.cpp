// SPDX-License-Identifier: BSD-3-Clause
// Each rank sends its number to all. It can be started in any way: alone (four threads), by `quadrille run`, or by an mpirun.
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

namespace {

void exchange(quadrille::Communicator& ranks) {
  const int me = static_cast<int>(ranks.rank()), all = static_cast<int>(ranks.size());
  auto plan = quadrille::plan(ranks, quadrille::Problem::alltoall(ranks.size(), sizeof(int)), {.algorithm = "bruck"});
  const std::vector<int> to_send(static_cast<std::size_t>(all), me);
  std::vector<int> received(to_send.size(), -1), expected;
  for (int rank = 0; rank < all; ++rank) expected.push_back(rank);
  plan.execute(to_send.data(), received.data());
  std::printf("rank %d got %s on %s\n", me, received == expected ? "everything" : "wrong data",
              name(quadrille::choose_transport().transport).data());
}

}  // namespace

int main() { quadrille::run_launched(4, exchange); }
