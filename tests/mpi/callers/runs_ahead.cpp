// SPDX-License-Identifier: BSD-3-Clause
// Tests that a rank that never waits in our collectives still drives MPI's progress. The first rank sends a message of 1 MiB and is
// then the root of broadcast after broadcast. It never waits in them, because it gives the others time to receive each. It stops
// when the message has arrived. It learns that from memory shared by the ranks, so it makes no MPI call itself. If our calls did
// not drive progress, it would continue for ever; after 20 s the test fails. Usage, under mpirun with at least three ranks:
// runs_ahead
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"
#include "support/cases.hpp"

namespace quadrille::testing {
namespace {

constexpr unsigned longest_s = 20;
constexpr int message_bytes = 1 << 20;

// A word in memory that all ranks share.
class SharedWord {
 public:
  SharedWord() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void* mine = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(Word) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &word_);
    if (rank == 0) new (word_) Word(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~SharedWord() { MPI_Win_free(&window_); }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  bool is_set() const { return word_->load(std::memory_order_acquire) != 0; }
  void set() { word_->store(1, std::memory_order_release); }

 private:
  using Word = std::atomic<int>;
  MPI_Win window_ = MPI_WIN_NULL;
  Word* word_ = nullptr;
};

void run() {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 3) throw std::runtime_error("runs_ahead needs three ranks or more");
  SharedWord arrived;
  // The second rank receives the message; the others take part in the broadcast.
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &some);
  const auto ranks = over(some);
  Plan tell = plan(*ranks, problem_of(Collective::broadcast, ranks->size(), sizeof(int)),
                   {.algorithm = "linear", .executor = Executor::shared});
  std::vector<std::byte> message(message_bytes);
  if (rank == 1) {
    MPI_Recv(message.data(), message_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    arrived.set();
  } else {
    MPI_Request sent = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(message.data(), message_bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &sent);
    for (int told = 1; told != 0;) {
      const int goes_on = arrived.is_set() ? 0 : 1;
      tell.execute(rank == 0 ? &goes_on : nullptr, &told);
      if (rank == 0) ::usleep(100);
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&some);
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  ::alarm(quadrille::testing::longest_s);
  MPI_Init(&count, &arguments);
  try {
    quadrille::testing::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
