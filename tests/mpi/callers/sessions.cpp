// SPDX-License-Identifier: BSD-3-Clause
// A program that uses an MPI session without MPI_Init. It makes only one session, because a second MPI_Session_init crashes in
// MPICH 4.0.2. Usage: sessions, under mpirun. Prints "skipped: ..." if the MPI library has no sessions.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"

#ifdef MPI_SESSION_NULL
namespace quadrille::testing {
namespace {

void exchange(Communicator& ranks, Executor executor) {
  const auto p = static_cast<std::size_t>(ranks.size());
  Plan exchange = plan(ranks, Problem::alltoall(ranks.size(), 8), {.algorithm = "direct", .executor = executor});
  std::vector<std::int64_t> input(p), output(p, -1);
  for (std::size_t to = 0; to < p; ++to) input[to] = 100 * ranks.rank() + static_cast<std::int64_t>(to);
  exchange.execute(input.data(), output.data());
  for (std::size_t from = 0; from < p; ++from)
    if (output[from] != 100 * static_cast<std::int64_t>(from) + ranks.rank()) throw std::runtime_error("wrong data");
}

void use_session() {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "quadrille's test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  MPI_Group_free(&group);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto ranks = over(all);
    for (const Executor executor : {Executor::shared, Executor::mpi}) exchange(*ranks, executor);
  }
  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
}

}  // namespace
}  // namespace quadrille::testing

int main() {
  try {
    quadrille::testing::use_session();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
#else
int main() { std::puts("skipped: this MPI library has no sessions"); }
#endif
