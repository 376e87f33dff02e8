// SPDX-License-Identifier: BSD-3-Clause
// Tests that started executions progress during any call of the library, even if it waits in another communicator; and, with a
// progress thread, also while the program waits elsewhere. Usage: progress [thread], under mpirun; with QUADRILLE_PROGRESS=thread
// for `thread`.
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"

namespace quadrille::testing {
namespace {

// An alltoall that no rank can complete without its peers: bruck has two windows or more, and receivers copy long messages.
class Exchange {
 public:
  Exchange(Communicator& ranks, Executor executor)
      : me_(ranks.rank()),
        input_(static_cast<std::size_t>(block * ranks.size()), static_cast<std::byte>(me_ + 1)),
        output_(input_.size()),
        plan_(plan(ranks, Problem::alltoall(ranks.size(), block), {.algorithm = "bruck:radix=2", .executor = executor})) {}

  void start() { request_ = plan_.start(input_.data(), output_.data()); }
  void execute() {
    plan_.execute(input_.data(), output_.data());
    check();
  }
  void wait() {
    request_.wait();
    check();
  }

 private:
  static constexpr Bytes block = 200'000;

  void check() const {
    for (std::size_t at = 0; at < output_.size(); at += 1000)
      if (output_[at] != static_cast<std::byte>(at / block + 1)) throw std::runtime_error("the data is wrong");
  }

  Rank me_;
  std::vector<std::byte> input_, output_;
  Plan plan_;
  Request request_;
};

// Rank 0 waits in the second communicator while the others wait for it in the first.
void go_on_in_any_call(Executor executor) {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  {
    const auto first = over(MPI_COMM_WORLD), second = over(users);
    Exchange one(*first, executor), other(*second, executor);
    for (int turn = 0; turn < 5; ++turn) {
      one.start();
      if (first->rank() == 0) {
        other.execute();
        one.wait();
      } else {
        one.wait();
        other.execute();
      }
    }
  }
  MPI_Comm_free(&users);
}

// Rank 0 waits inside MPI for a message that the others send after they have completed the exchange.
void go_on_by_the_thread(Executor executor) {
  const auto ranks = over(MPI_COMM_WORLD);
  Exchange exchange(*ranks, executor);
  for (int turn = 0; turn < 5; ++turn) {
    exchange.start();
    int told = 0;
    if (ranks->rank() > 0) {
      exchange.wait();
      MPI_Send(&told, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else {
      for (Rank other = 1; other < ranks->size(); ++other)
        MPI_Recv(&told, 1, MPI_INT, static_cast<int>(other), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      exchange.wait();
    }
  }
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
  try {
    const bool by_thread = count > 1 && std::strcmp(arguments[1], "thread") == 0;
    for (const Executor executor : {Executor::automatic, Executor::mpi})
      by_thread ? testing::go_on_by_the_thread(executor) : testing::go_on_in_any_call(executor);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
