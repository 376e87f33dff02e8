// SPDX-License-Identifier: BSD-3-Clause
// Plans that choose their algorithm, and calls without plans, on four threads.
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

int main() {
  bool right = true;
  run_threads(4, [&](Communicator& ranks) {
    const int me = static_cast<int>(ranks.rank());
    const std::vector<int> to_send(4, me), expected{0, 1, 2, 3};
    std::vector<int> received(4);

    Plan exchange = plan(ranks, Problem::alltoall(ranks.size(), sizeof(int)));  // the algorithm is "auto"
    exchange.execute(to_send.data(), received.data());
    const Decision& decision = *exchange.decision();
    if (me == 0) std::printf("%s\n%s\n", decision.chosen.algorithm.c_str(), decision.reason.c_str());

    for (int turn = 0; turn < 3; ++turn) alltoall(ranks, to_send, received);  // the first call makes a plan, the others find it
    if (me == 0) right = received == expected;
  });
  std::printf("the result is %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
