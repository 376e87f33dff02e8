// SPDX-License-Identifier: BSD-3-Clause
// A soak test: mixed collectives one after the other and with several in flight, with checked data. They use any collective, size,
// algorithm and policy, private or shared memory, and plans that are made and destroyed. Usage: soak_mpi [COLLECTIVES [SEED]],
// under any launcher; few by default. At the end it prints whether memory has grown.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "quadrille/groups.hpp"
#include "support/occasion.hpp"

namespace quadrille::testing {

Bytes resident_bytes() {
  Bytes total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * 4096;
}

}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  std::unique_ptr<Communicator> communicator;
  try {
    const long collectives = count > 1 ? std::atol(arguments[1]) : 2000;
    communicator = launched_world();
    std::mt19937_64 random(count > 2 ? static_cast<std::uint64_t>(std::atol(arguments[2])) : 1);
    std::mt19937_64 own(random() + static_cast<std::uint64_t>(communicator->rank()));
    std::vector<testing::Occasion> occasions;
    for (int i = 0; i < 30; ++i) occasions.emplace_back(*communicator, random);
    Bytes before = 0;
    for (long done = 0; done < collectives; ++done) {
      if (random() % 200 == 0) occasions[random() % occasions.size()] = testing::Occasion(*communicator, random);
      if (before == 0 && done >= collectives / 5) before = testing::resident_bytes();
      std::string wrong;
      if (random() % 50 == 0) {
        wrong = testing::run_in_flight(*communicator, occasions, 20, random, own);
        done += 19;
      } else {
        wrong = occasions[random() % occasions.size()].run(random);
      }
      if (!wrong.empty()) throw std::runtime_error(fmt::format("collective {}: {}", done, wrong));
    }
    communicator->barrier();
    if (communicator->rank() == 0)
      std::printf("%ld collectives among %lld ranks: all right; memory grew by %.1f MiB\n", collectives,
                  static_cast<long long>(communicator->size()),
                  static_cast<double>(testing::resident_bytes() - before) / (1 << 20));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (communicator) communicator->abort(1);  // the others may be waiting
    return 1;
  }
}
