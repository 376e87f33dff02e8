// SPDX-License-Identifier: BSD-3-Clause
// Tests MPI_THREAD_MULTIPLE: two threads of each rank run exchanges on two communicators at the same time, with checked data.
// Usage, under mpirun: exchange_threads [CALLS]
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "quadrille/mpi.hpp"
#include "support/exchanges.hpp"

int main(int count, char** arguments) {
  using namespace quadrille;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  if (level < MPI_THREAD_MULTIPLE) {
    std::puts("skipped: this MPI library has no MPI_THREAD_MULTIPLE");
    return MPI_Finalize();
  }
  const long calls = count > 1 ? std::atol(arguments[1]) : 100;
  try {
    for (const bool allocated : {false, true}) {
      std::array<MPI_Comm, 2> users{};
      std::array<std::unique_ptr<Communicator>, 2> ranks;
      std::array<std::unique_ptr<testing::Exchanges>, 2> exchanges;
      for (std::size_t i = 0; i < 2; ++i) {  // by one thread: Open MPI 4.1.4 may hang if two make communicators at the same time
        MPI_Comm_dup(MPI_COMM_WORLD, &users[i]);
        ranks[i] = over(users[i]);
        exchanges[i] = std::make_unique<testing::Exchanges>(*ranks[i], i + 1, allocated);
      }
      std::array<std::thread, 2> threads;
      for (std::size_t i = 0; i < 2; ++i)
        threads[i] = std::thread([&, i] {
          try {
            const std::string wrong = exchanges[i]->run(calls) + exchanges[i]->run(10 * calls, 200);
            if (wrong.empty()) return;
            std::fprintf(stderr, "%s\n", wrong.c_str());
          } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
          }
          MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks may be waiting
        });
      for (std::thread& thread : threads) thread.join();
      for (std::size_t i = 0; i < 2; ++i) {
        exchanges[i].reset();
        ranks[i].reset();
        MPI_Comm_free(&users[i]);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return MPI_Finalize();
}
