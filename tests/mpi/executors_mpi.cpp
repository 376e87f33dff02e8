// SPDX-License-Identifier: BSD-3-Clause
// The MPI executor against the interpreter, under a launcher: every row of the table, every policy, messages cut into parts,
// and no allocation in our code while a plan executes.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "quadrille/transports.hpp"
#include "support/agreement.hpp"
#include "support/allocations.hpp"

int main() {
  using namespace quadrille;
  try {
    const auto communicator = mpi_world();
    const auto fail = [&](const std::string& sentence) {
      if (communicator->rank() == 0) std::fprintf(stderr, "%s\n", sentence.c_str());
      communicator->abort(1);
    };
    const Count most_number = communicator->size() <= 5 ? 3 : 2;
    if (const std::string wrong = testing::first_disagreement(*communicator, {0, 1, 8, 3000}, most_number); !wrong.empty())
      fail(wrong);
    if (const std::string wrong = testing::first_disagreement(*communicator, {64}, 2, /*longest_message=*/100); !wrong.empty())
      fail("cut messages: " + wrong);
    if (const std::string wrong = testing::first_allocation(*communicator); !wrong.empty()) fail(wrong);
    communicator->barrier();
    if (communicator->rank() == 0)
      std::printf("%s, %lld ranks: agrees with the interpreter\n", std::string(communicator->transport()).c_str(),
                  static_cast<long long>(communicator->size()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
