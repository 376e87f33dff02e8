// SPDX-License-Identifier: BSD-3-Clause
// A program that uses an MPI session without MPI_Init, or (with the argument "outlives") a session that outlives MPI_Init and
// MPI_Finalize. It makes only one session, because a second MPI_Session_init crashes in MPICH 4.0.2. Usage: sessions [outlives],
// under mpirun. Prints "skipped: ..." if the MPI library has no sessions.
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "quadrille/mpi.hpp"

#ifdef MPI_SESSION_NULL
namespace quadrille::testing {
namespace {

Plan plan_of(Communicator& ranks, Executor executor) {
  return plan(ranks, Problem::alltoall(ranks.size(), 8), {.algorithm = "direct", .executor = executor});
}

void execute(Plan& exchange, const Communicator& ranks) {
  const auto p = static_cast<std::size_t>(ranks.size());
  std::vector<std::int64_t> input(p), output(p, -1);
  for (std::size_t to = 0; to < p; ++to) input[to] = 100 * ranks.rank() + static_cast<std::int64_t>(to);
  exchange.execute(input.data(), output.data());
  for (std::size_t from = 0; from < p; ++from)
    if (output[from] != 100 * static_cast<std::int64_t>(from) + ranks.rank()) throw std::runtime_error("wrong data");
}

void use_session(const std::function<void(MPI_Comm)>& use) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "quadrille's test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Group_free(&group);
  use(all);
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
}

void make_communicators(MPI_Comm all) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto ranks = over(all);
    for (const Executor executor : {Executor::shared, Executor::mpi}) {
      Plan exchange = plan_of(*ranks, executor);
      execute(exchange, *ranks);
    }
  }
}

void outlive_the_world(MPI_Comm all) {
  MPI_Init(nullptr, nullptr);
  const auto ranks = over(all);
  Plan exchange = plan_of(*ranks, Executor::mpi);
  execute(exchange, *ranks);
  MPI_Finalize();
  execute(exchange, *ranks);
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** words) {
  using namespace quadrille::testing;
  try {
    use_session(count > 1 && std::string_view(words[1]) == "outlives" ? outlive_the_world : make_communicators);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
#else
int main() { std::puts("skipped: this MPI library has no sessions"); }
#endif
