// SPDX-License-Identifier: BSD-3-Clause
// Errors of MPI programs, each of which must give one sentence instead of a crash or a hang: communicators that are not a group of
// ranks, plans that outlive their communicator or MPI itself, and plans that are started in different orders (for messages, this is
// only detected with QUADRILLE_CHECK=1). Usage: misuse, under mpirun with at least two ranks.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "quadrille/mpi.hpp"

namespace quadrille::testing {
namespace {

// Fails unless `call` throws Error{misuse} whose sentence contains all these words.
template <class Call>
void expect_misuse(const std::string& what, const std::vector<std::string>& words, Call&& call) {
  std::string said = "nothing";
  try {
    call();
  } catch (const Error& error) {
    said = error.what();
    bool expected = error.code() == ErrorCode::misuse;
    for (const std::string& word : words) expected = expected && said.find(word) != std::string::npos;
    if (expected) return;
  }
  std::fprintf(stderr, "%s: said '%s'\n", what.c_str(), said.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void refuse_what_is_no_group() {
  expect_misuse("MPI_COMM_NULL", {"MPI_COMM_NULL"}, [] { over(MPI_COMM_NULL); });
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? 0 : 1, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me == 0 ? 1 : 0, 0, &inter);
  expect_misuse("an intercommunicator", {"intercommunicator", "MPI_Intercomm_merge"}, [&] { over(inter); });
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

// Returns a new MPI communicator, so that its plans are counted from 1. MPI_Finalize frees it.
MPI_Comm duplicate_of_world() {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  return users;
}

struct User {
  static constexpr Bytes block = 20'000;

  MPI_Comm users = duplicate_of_world();
  std::vector<Plan> plans;  // destroyed after the communicator of the plans
  std::unique_ptr<Communicator> ranks = over(users);
  std::vector<std::byte> input = std::vector<std::byte>(static_cast<std::size_t>(ranks->size() * block)), output = input;

  void add(const std::string& algorithm, Executor executor = Executor::automatic) {
    plans.push_back(plan(*ranks, Problem::alltoall(ranks->size(), block), {.algorithm = algorithm, .executor = executor}));
  }
  void run(std::size_t number) { plans[number].execute(input.data(), output.data()); }
};

void add_one_of_each(User& user) {
  user.add("direct");
  user.add("direct", Executor::mpi);
  user.add("vendor");
}

// Both ranks get the same error.
void start_in_different_orders(Executor first, Executor second) {
  User user;
  user.add("direct", first);
  user.add("bruck", second);
  const bool last = user.ranks->rank() == user.ranks->size() - 1;
  expect_misuse("different orders", {"plan 1 (alltoall/direct", "plan 2 (alltoall/bruck", "wait", "same order on all ranks"}, [&] {
    user.run(last ? 1 : 0);
    user.run(last ? 0 : 1);
  });
  user.ranks = over(user.users);  // the ranks may form a new group
  user.add("direct", first);
  user.run(2);
}

// Plans still work after their MPI communicator has been freed. Calls that need the communicator are refused.
void free_what_is_in_use() {
  User user;
  add_one_of_each(user);
  for (std::size_t number = 0; number < user.plans.size(); ++number) user.run(number);
  const auto again = over(user.users);  // shares what is kept with the MPI communicator
  MPI_Comm_free(&user.users);
  for (std::size_t number = 0; number < user.plans.size(); ++number) user.run(number);
  for (const char* algorithm : {"direct", "vendor"})
    expect_misuse("a plan for messages of a freed communicator", {"has been freed", "before MPI_Comm_free"},
                  [&] { user.add(algorithm, Executor::mpi); });
  if (user.plans[0].executor() == Executor::shared) {
    user.add("bruck");
    user.run(3);
    again->barrier();
  } else {
    expect_misuse("a barrier of a freed communicator", {"has been freed"}, [&] { again->barrier(); });
  }
}

void make_a_plan_while_others_execute() {
  User user;
  user.add("direct");
  const bool last = user.ranks->rank() == user.ranks->size() - 1;
  expect_misuse("a plan is made while others execute",
                {"the making of a plan", "plan 1 (alltoall/direct", "same order on all ranks"}, [&] {
                  if (!last) user.run(0);
                  user.add("bruck");
                  if (last) user.run(0);
                });
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  using namespace quadrille::testing;
  MPI_Init(&count, &arguments);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::optional<User> late;
  try {
    refuse_what_is_no_group();
    {
      User user;
      add_one_of_each(user);
      user.ranks.reset();
      for (std::size_t number = 0; number < user.plans.size(); ++number) user.run(number);
    }
    free_what_is_in_use();
    const char* check = std::getenv("QUADRILLE_CHECK");
    if (check) {
      start_in_different_orders(Executor::mpi, Executor::mpi);
      start_in_different_orders(Executor::automatic, Executor::automatic);
      start_in_different_orders(Executor::automatic, Executor::mpi);
    } else if (!std::getenv("QUADRILLE_NODE_SIZES")) {
      start_in_different_orders(Executor::shared, Executor::shared);
    }
    if (check || !std::getenv("QUADRILLE_NODE_SIZES")) make_a_plan_while_others_execute();
    late.emplace();
    add_one_of_each(*late);
    for (std::size_t number = 0; number < late->plans.size(); ++number) late->run(number);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  for (std::size_t number = 0; number < late->plans.size(); ++number) try {
      late->run(number);
      std::fprintf(stderr, "a plan runs after MPI_Finalize\n");
      return 1;
    } catch (const Error& error) {
      if (std::string(error.what()).find("MPI_Finalize") != std::string::npos) continue;
      std::fprintf(stderr, "after MPI_Finalize: %s\n", error.what());
      return 1;
    }
  try {
    late->ranks->barrier();
    std::fprintf(stderr, "a barrier returns after MPI_Finalize\n");
    return 1;
  } catch (const Error&) {}
  late.reset();
  try {
    over(MPI_COMM_WORLD);
    std::fprintf(stderr, "a communicator is made after MPI_Finalize\n");
    return 1;
  } catch (const Error&) {}
  return 0;
}
