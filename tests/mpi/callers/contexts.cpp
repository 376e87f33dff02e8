// SPDX-License-Identifier: BSD-3-Clause
// Thousands of communicators, with plans that send messages over them. MPI has far fewer contexts than a program may make
// communicators in its life, so we keep at most 256 contexts and reuse them. Data is checked. Usage: contexts [COMMUNICATORS],
// under mpirun.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"

namespace quadrille::testing {
namespace {

constexpr int most_contexts = 256;

MPI_Comm split_from_world(bool reversed) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm split = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, reversed ? -rank : rank, &split);
  return split;
}

// An MPI communicator with a plan for messages over it. Here the plan must not outlive the communicator.
class User {
 public:
  explicit User(bool reversed = false) : users_(split_from_world(reversed)), ranks_(over(users_)) {}
  ~User() {
    plan_.reset();
    ranks_.reset();
    MPI_Comm_free(&users_);
  }
  User(const User&) = delete;
  User& operator=(const User&) = delete;

  void make_plan(const std::string& algorithm = "direct") {
    plan_.emplace(plan(*ranks_, Problem::alltoall(ranks_->size(), 8), {.algorithm = algorithm, .executor = Executor::mpi}));
  }
  void drop_plan() { plan_.reset(); }

  void run(std::int64_t salt) {
    const auto p = static_cast<std::size_t>(ranks_->size());
    const Rank me = ranks_->rank();
    std::vector<std::int64_t> input(p), output(p, -1);
    for (std::size_t to = 0; to < p; ++to) input[to] = salt + 100 * me + static_cast<std::int64_t>(to);
    plan_->execute(input.data(), output.data());
    for (std::size_t from = 0; from < p; ++from)
      if (output[from] != salt + 100 * static_cast<std::int64_t>(from) + me)
        throw std::runtime_error(fmt::format("rank {} has wrong data from rank {} in exchange {}", me, from, salt));
  }

 private:
  MPI_Comm users_;
  std::unique_ptr<Communicator> ranks_;
  std::optional<Plan> plan_;
};

// Uses one communicator after the other, each with one plan. The order of the ranks, and which ranks take part, changes from one to
// the next.
void use_one_after_the_other(int communicators) {
  for (int i = 0; i < communicators; ++i) {
    User user(i % 3 == 0);
    user.make_plan(i % 5 == 0 ? "vendor" : "direct");
    user.run(i);
  }
}

// Makes more communicators than there are contexts. With a plan alive in each, a further plan is refused on all ranks. The program
// continues, and destroying one plan makes room for another.
void use_all_at_once() {
  std::vector<std::unique_ptr<User>> users;
  for (int i = 0; i < 300; ++i) users.push_back(std::make_unique<User>());
  for (auto& user : users) {  // no plan stays alive, so none is refused
    user->make_plan();
    user->run(1);
    user->drop_plan();
  }
  int refused = 0;
  for (auto& user : users) try {
      user->make_plan();
    } catch (const Error& error) {
      const std::string_view said = error.what();
      if (error.code() != ErrorCode::environment || said.find("256 communicators") == std::string_view::npos ||
          said.find("destroy") == std::string_view::npos)
        throw;
      ++refused;
    }
  if (refused != 300 - most_contexts) throw std::runtime_error(fmt::format("{} plans of 300 were refused", refused));
  for (int i = 0; i < most_contexts; ++i) users[static_cast<std::size_t>(i)]->run(i);
  users[0]->make_plan("bruck");  // a second plan of a communicator shares its context
  users[0]->run(2);
  users[1]->drop_plan();
  users[299]->make_plan();
  users[299]->run(3);
  users.clear();
  // All contexts are idle now, and none belongs to a group with this order of ranks.
  User other(true);
  other.make_plan();
  other.run(4);
}

// Two communicators have the same ranks and different plans. Ranks start the plans in different orders, and no message may reach
// the wrong plan.
void use_side_by_side() {
  User one, two;
  one.make_plan();
  two.make_plan();
  for (int i = 0; i < 100; ++i) {
    one.run(i);
    two.run(-i);
  }
  one.drop_plan();
  one.make_plan("bruck");
  one.run(5);
  two.run(6);
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  try {
    quadrille::testing::use_side_by_side();
    quadrille::testing::use_all_at_once();
    quadrille::testing::use_one_after_the_other(count > 1 ? std::atoi(arguments[1]) : 3000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
