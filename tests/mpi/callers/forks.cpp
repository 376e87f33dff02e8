// SPDX-License-Identifier: BSD-3-Clause
// A program that forks after it has used the library. The child makes no MPI calls, as MPI demands. It cannot execute plans, since
// its peers do not know it: it gets an error, and what it destroys does not affect the parent. The parent continues, with checked
// data. Usage, under mpirun: forks
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"
#include "support/occasion.hpp"

namespace quadrille::testing {
namespace {

struct User {
  std::unique_ptr<Communicator> ranks = over(MPI_COMM_WORLD);
  std::vector<std::byte> input = std::vector<std::byte>(static_cast<std::size_t>(ranks->size() * block)), output = input;
  std::vector<Plan> plans;

  static constexpr Bytes block = 5000;

  void add(const Problem& problem, const std::string& algorithm) {
    plans.push_back(plan(*ranks, problem, {.algorithm = algorithm, .executor = Executor::shared}));
  }
};

template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const Error&) {
    return true;
  }
  return false;
}

// Runs in the child and returns its exit code. An alarm ends a child that hangs.
int live_as_child(std::unique_ptr<User> user) {
  ::alarm(20);
  for (Plan& each : user->plans)
    if (!is_refused([&] { each.execute(user->input.data(), user->output.data()); })) return 1;
  if (!is_refused([&] { user->ranks->barrier(); })) return 2;
  if (!is_refused([] { over(MPI_COMM_WORLD); })) return 3;
  if (!is_refused([] { over(MPI_COMM_SELF); })) return 4;
  user.reset();
  return 0;
}

void run() {
  auto user = std::make_unique<User>();
  user->add(Problem::alltoall(user->ranks->size(), User::block), "direct");
  user->add(problem_of(Collective::broadcast, user->ranks->size(), User::block), "linear");
  std::mt19937_64 random(1);
  std::vector<Occasion> occasions;
  for (int i = 0; i < 10; ++i) occasions.emplace_back(*user->ranks, random);
  for (int time = 0; time < 5; ++time) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no fork");
    if (child == 0) ::_exit(live_as_child(std::move(user)));  // _exit, because only the parent may run MPI's exit handlers
    for (Occasion& each : occasions)
      if (const std::string wrong = each.run(random); !wrong.empty()) throw std::runtime_error(wrong);
    for (Plan& each : user->plans) each.execute(user->input.data(), user->output.data());
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0)
      throw std::runtime_error(fmt::format("the child ended with status {:#x}", status));
    for (Occasion& each : occasions)
      if (const std::string wrong = each.run(random); !wrong.empty()) throw std::runtime_error(wrong);
  }
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  try {
    quadrille::testing::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
