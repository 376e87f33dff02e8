// SPDX-License-Identifier: BSD-3-Clause
// Tests the typed calls under a launcher, with checked data.
#include <cstdio>

#include "quadrille/groups.hpp"
#include "support/typed_calls.hpp"

int main() {
  using namespace quadrille;
  std::unique_ptr<Communicator> ranks;
  try {
    ranks = launched_world();
    const std::string wrong = testing::run_typed_calls(*ranks);
    if (!wrong.empty()) {
      std::fprintf(stderr, "%s\n", wrong.c_str());
      ranks->abort(1);
    }
    ranks->barrier();
    if (ranks->rank() == 0) std::printf("%s: the typed calls are right\n", std::string(ranks->transport_name()).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (ranks) ranks->abort(1);  // the others may be waiting
    return 1;
  }
}
