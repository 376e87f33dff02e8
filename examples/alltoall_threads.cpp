// SPDX-License-Identifier: BSD-3-Clause
// The smallest complete program: four threads, each of which sends one number to each thread.
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

int main() {
  quadrille::run_threads(4, [](quadrille::Communicator& ranks) {
    const int me = static_cast<int>(ranks.rank());
    const std::vector<int> to_send{10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3};  // the last digit is the receiver
    std::vector<int> received(4);
    quadrille::alltoall(ranks, to_send, received);
    for (int turn = 0; turn < 4; ++turn, ranks.barrier())
      if (turn == me) std::printf("rank %d got %02d %02d %02d %02d\n", me, received[0], received[1], received[2], received[3]);
  });
}
