// SPDX-License-Identifier: BSD-3-Clause
// Tests the typed calls in a program that calls MPI: all forms over an MPI communicator, MPI_Op as operators, plans that are stored
// with the MPI communicator and freed with it, and calls in which ranks disagree. Usage: typed, under mpirun with at least two
// ranks.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plan/calls/calls.hpp"
#include "quadrille/mpi.hpp"
#include "support/typed_calls.hpp"

namespace quadrille::testing {
namespace {

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// The operand of greater size; of equal sizes, the first. So it does not commute, as MPI_Op_create is told.
void first_of_greatest(void* source, void* target, int* count, MPI_Datatype*) {
  const auto* from = static_cast<const double*>(source);
  auto* to = static_cast<double*>(target);
  for (int i = 0; i < *count; ++i)
    if (std::abs(from[i]) >= std::abs(to[i])) to[i] = from[i];
}

void reduce_by_mpi_operators(Communicator& ranks) {
  const Count p = ranks.size();
  const auto me = static_cast<double>(ranks.rank());
  const std::vector<double> input{me, -me, 1};
  std::vector<double> output(3);
  allreduce(ranks, input, output, MPI_SUM);
  const double sum = static_cast<double>(p * (p - 1)) / 2;
  expect(output == std::vector<double>{sum, -sum, static_cast<double>(p)}, "MPI_SUM");
  expect(allreduce(ranks, static_cast<int>(ranks.rank()), MPI_MAX) == p - 1, "MPI_MAX of a value");
  const auto before = ranks.calls().size();
  allreduce(ranks, input, output, op::sum);
  expect(ranks.calls().size() == before, "MPI_SUM and op::sum have one plan");
  const auto place = allreduce(ranks, ValueAndIndex<double>{-me, static_cast<std::int32_t>(ranks.rank())}, MPI_MINLOC);
  expect(place.index == p - 1, "MPI_MINLOC");

  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(first_of_greatest, 0, &own);
  const std::vector<double> signs{ranks.rank() % 2 == 0 ? 1.0 : -1.0};
  std::vector<double> first(1), again(1);
  allreduce(ranks, signs, first, own);
  iallreduce(ranks, signs, again, operator_of(own, MPI_DOUBLE)).wait();
  expect(first[0] == 1 && again[0] == 1, "an operator of MPI_Op_create, in rank order");
  MPI_Op_free(&own);
}

void keep_plans_with_the_communicator() {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  std::vector<char> input(64), output(64 * 64);
  const auto half = std::span(input).first(32);
  const auto kept = over(users);
  {
    const auto ranks = over(users);
    allgather(*ranks, input, std::span(output).first(64 * static_cast<std::size_t>(ranks->size())));
    expect(ranks->calls().size() == 1, "one plan after the first call");
  }
  allgather(*kept, input, std::span(output).first(64 * static_cast<std::size_t>(kept->size())));
  expect(kept->calls().size() == 1, "another Communicator finds it");
  Request open = iallgather(*kept, half, std::span(output).first(32 * static_cast<std::size_t>(kept->size())));
  open.wait();
  expect(kept->calls().size() == 2, "a second plan");
  MPI_Comm_free(&users);
}

// All ranks get the same error, although some find a stored plan and others have to make one.
void disagree() {
  MPI_Comm users = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &users);
  const auto ranks = over(users);
  std::vector<double> buffer(10);
  allreduce(*ranks, in_place, buffer, op::sum);
  const bool last = ranks->rank() == ranks->size() - 1;
  try {
    allreduce(*ranks, in_place, std::span(buffer).first(last ? 9 : 10), op::sum);
    expect(false, "a hit and a miss meet");
  } catch (const Error& error) {
    const std::string said = error.what();
    expect(error.code() == ErrorCode::misuse, said.c_str());
    if (std::getenv("QUADRILLE_CHECK"))
      expect(said.find("the sizes of allreduce differ: rank ") != said.npos && said.find("gives 72 B, rank 0 80 B") != said.npos,
             said.c_str());
    else
      expect(said.find("making of a plan") != said.npos && said.find("allreduce") != said.npos, said.c_str());
  }
}

}  // namespace
}  // namespace quadrille::testing

int main(int count, char** arguments) {
  using namespace quadrille;
  using namespace quadrille::testing;
  MPI_Init(&count, &arguments);
  try {
    const auto ranks = over(MPI_COMM_WORLD);
    const std::string wrong = run_typed_calls(*ranks);
    expect(wrong.empty(), wrong.c_str());
    reduce_by_mpi_operators(*ranks);
    keep_plans_with_the_communicator();
    if (std::getenv("QUADRILLE_CHECK") || !std::getenv("QUADRILLE_NODE_SIZES")) disagree();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();  // frees the plans that are stored with MPI_COMM_WORLD
}
