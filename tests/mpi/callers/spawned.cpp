// SPDX-License-Identifier: BSD-3-Clause
// Processes that were not started together: spawned processes merged with their parents, and two groups that connect by a port.
// They share memory like any others. Usage: spawned, under mpirun with two ranks. Prints "skipped: ..." if the MPI library cannot
// do that.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "quadrille/mpi.hpp"

namespace quadrille::testing {
namespace {

void exchange(Communicator& ranks, Executor executor, Bytes block) {
  const Count p = ranks.size();
  Plan exchange = plan(ranks, Problem::alltoall(p, block), {.algorithm = "direct", .executor = executor});
  std::vector<unsigned char> input(static_cast<std::size_t>(p * block)), output(input.size());
  const auto byte = [&](Rank from, Rank to, Bytes place) { return static_cast<unsigned char>(from * 31 + to * 7 + place); };
  for (Rank to = 0; to < p; ++to)
    for (Bytes i = 0; i < block; ++i) input[static_cast<std::size_t>(to * block + i)] = byte(ranks.rank(), to, i);
  for (int repeat = 0; repeat < 10; ++repeat) {
    output.assign(output.size(), 0);
    exchange.execute(input.data(), output.data());
    for (Rank from = 0; from < p; ++from)
      for (Bytes i = 0; i < block; ++i)
        if (output[static_cast<std::size_t>(from * block + i)] != byte(from, ranks.rank(), i))
          throw std::runtime_error(fmt::format("rank {} of {} has wrong data from rank {}", ranks.rank(), p, from));
  }
}

// Merges the intercommunicator `inter`, uses the result and disconnects `inter`.
void use_merged(MPI_Comm inter, bool high, Count expected) {
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, high, &merged);
  {
    const auto ranks = over(merged);
    if (ranks->size() != expected) throw std::runtime_error(fmt::format("{} ranks have merged, not {}", ranks->size(), expected));
    for (const Bytes block : {8, 100'000})
      for (const Executor executor : {Executor::shared, Executor::mpi}) exchange(*ranks, executor, block);
  }
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&inter);
}

// The two ranks of the world connect as if each were a separate program.
bool connect(int me) {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  int opened = MPI_SUCCESS;
  if (me == 0) opened = MPI_Open_port(MPI_INFO_NULL, port.data());
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (opened != MPI_SUCCESS) return false;
  MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Comm inter = MPI_COMM_NULL;
  if (me == 0)
    MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  else
    MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  use_merged(inter, me != 0, 2);
  if (me == 0) MPI_Close_port(port.data());
  return true;
}

void run(const char* program) {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return use_merged(parent, true, 3);
  const auto world = over(MPI_COMM_WORLD);  // makes some of the ranks meet before they connect
  exchange(*world, Executor::shared, 8);
  if (!connect(me)) {
    if (me == 0) std::puts("skipped: this MPI library opens no port here");
    return;
  }
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  use_merged(children, false, 3);
  exchange(*world, Executor::shared, 100'000);
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  try {
    quadrille::testing::run(arguments[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
