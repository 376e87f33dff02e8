// SPDX-License-Identifier: BSD-3-Clause
// Keeps 64 executions in flight, of our plans and of the MPI library's own collectives. Each rank completes them in an order of its
// own. Usage: requests_mpi [TURNS [SEED]], under any launcher.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"
#include "support/many_in_flight.hpp"

int main(int count, char** arguments) {
  using namespace quadrille;
  std::unique_ptr<Communicator> communicator;
  try {
    const long turns = count > 1 ? std::atol(arguments[1]) : 4;
    communicator = launched_world();
    std::mt19937_64 common(count > 2 ? static_cast<std::uint64_t>(std::atol(arguments[2])) : 1);
    std::mt19937_64 own(common() + static_cast<std::uint64_t>(communicator->rank()));
    const bool by_vendor = choose_transport().is_mpi();
    for (long turn = 0; turn < turns; ++turn)
      if (const auto fault = testing::first_fault_of_many(*communicator, 64, common, own, by_vendor); !fault.empty())
        throw std::runtime_error(fmt::format("turn {}: {}", turn, fault));
    communicator->barrier();
    if (communicator->rank() == 0) std::printf("%ld times 64 executions in flight: all right\n", turns);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (communicator) communicator->abort(1);  // the others may be waiting
    return 1;
  }
}
