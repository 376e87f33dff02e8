// SPDX-License-Identifier: BSD-3-Clause
// Tests exchanges by edges under a launcher, with checked data. Usage: exchange_mpi [CALLS [SEED]]; by default 100 calls,
// or 10,000 with QUADRILLE_LONG=1.
#include <cstdio>
#include <cstdlib>

#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/exchanges.hpp"

int main(int count, char** arguments) {
  using namespace quadrille;
  std::unique_ptr<Communicator> ranks;
  try {
    const long calls = count > 1 ? std::atol(arguments[1]) : testing::long_tests() ? 10'000 : 100;
    const auto seed = count > 2 ? static_cast<std::uint64_t>(std::atol(arguments[2])) : 1;
    ranks = launched_world();
    for (const bool allocated : {false, true}) {
      testing::Exchanges exchanges(*ranks, seed, allocated);
      const std::string wrong = exchanges.run(calls) + exchanges.run(10 * calls, 200);
      if (!wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        ranks->abort(1);
      }
    }
    if (ranks->rank() == 0)
      std::printf("%s, %lld ranks: %ld exchanges\n", std::string(ranks->transport_name()).c_str(),
                  static_cast<long long>(ranks->size()), 22 * calls);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (ranks) ranks->abort(1);  // the others may be waiting
    return 1;
  }
}
