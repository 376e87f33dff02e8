// SPDX-License-Identifier: BSD-3-Clause
// Measures what further communicators cost a program that splits, uses and frees them. Ours and the vendor's alternate:
//   first use   of a communicator that exists: the time until all ranks have the result of an alltoall of 8 B;
//   once        the time per communicator to split, run one alltoall of 8 B and free.
// Also prints how much memory and how many descriptors and mappings that has taken. Usage, under mpirun (groups_mpi.sh runs it):
//   groups_mpi [--first N] [--communicators N] [--batches N]
#include <cstdio>
#include <optional>
#include <string>

#include "mpi_program.hpp"
#include "mpi_times.hpp"
#include "quadrille/mpi.hpp"
#include "support/resources.hpp"

namespace quadrille::bench {
namespace {

constexpr Bytes block = 8;

struct Settings {
  long first = 200, communicators = 10'000, batches = 40;
};

struct World {
  int rank = 0, size = 1;
  std::vector<std::byte> input, output;

  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    input.resize(static_cast<std::size_t>(size * block));
    output = input;
  }
};

MPI_Comm split(const World& world) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, world.rank, &made);
  return made;
}

// Our objects after the first use of a communicator.
struct Used {
  std::unique_ptr<Communicator> communicator;
  std::optional<Plan> exchange;
};

Used use_ours(MPI_Comm communicator, World& world) {
  Used used{over(communicator), std::nullopt};
  used.exchange.emplace(plan(*used.communicator, Problem::alltoall(world.size, block), {.algorithm = "direct"}));
  used.exchange->execute(world.input.data(), world.output.data());
  return used;
}

void use_theirs(MPI_Comm communicator, World& world) {
  MPI_Alltoall(world.input.data(), block, MPI_BYTE, world.output.data(), block, MPI_BYTE, communicator);
}

void use_both(World& world) {
  MPI_Comm communicator = split(world);
  use_ours(communicator, world);
  use_theirs(communicator, world);
  MPI_Comm_free(&communicator);
}

void print(const World& world, const char* what, const std::vector<double>& ours, const std::vector<double>& theirs) {
  if (world.rank != 0) return;
  const Estimate mine = estimate(ours), vendor = estimate(theirs), both = ratio(ours, theirs);
  std::printf(
      "%s, %d ranks, %s: ours %.1f us [%.1f, %.1f], vendor's %.1f us [%.1f, %.1f]; ours/vendor's %.2f [%.2f, %.2f], %zu pairs\n",
      what, world.size, std::string(mpi_library).c_str(), mine.median, mine.low, mine.high, vendor.median, vendor.low, vendor.high,
      both.median, both.low, both.high, ours.size());
}

void first_use(long times, World& world) {
  std::vector<double> ours, theirs;
  for (long i = 0; i < times; ++i)
    for (const bool first : {true, false}) {
      const bool is_ours = first == (i % 2 == 0);  // each is first in half of the pairs
      MPI_Comm communicator = split(world);
      Used used;
      if (is_ours)
        ours.push_back(span_us([&] { used = use_ours(communicator, world); }));
      else
        theirs.push_back(span_us([&] { use_theirs(communicator, world); }));
      used = {};
      MPI_Comm_free(&communicator);
    }
  print(world, "first use", ours, theirs);
}

void use_once(const Settings& settings, World& world) {
  const long each = std::max(1L, settings.communicators / settings.batches);
  std::vector<double> ours, theirs;
  for (long batch = 0; batch < settings.batches; ++batch)
    for (const bool first : {true, false}) {
      const bool is_ours = first == (batch % 2 == 0);
      const double time = span_us([&] {
        for (long i = 0; i < each; ++i) {
          MPI_Comm communicator = split(world);
          if (is_ours)
            use_ours(communicator, world);
          else
            use_theirs(communicator, world);
          MPI_Comm_free(&communicator);
        }
      });
      (is_ours ? ours : theirs).push_back(time / static_cast<double>(each));
    }
  print(world, "once", ours, theirs);
}

// Prints the largest values of all ranks.
void print(const World& world, const char* when, const testing::Resources& mine) {
  long long all[] = {mine.resident >> 10, mine.shared_files >> 10, mine.descriptors, mine.mappings};
  MPI_Allreduce(MPI_IN_PLACE, all, std::size(all), MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank == 0)
    std::printf("%s: %lld KiB resident, %lld KiB in memfds, %lld descriptors, %lld mappings\n", when, all[0], all[1], all[2],
                all[3]);
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("first", settings.first, 0), number("communicators", settings.communicators, 1),
                                           number("batches", settings.batches, 1)};
  return run_program(count, arguments, options, [&] {
    World world;
    for (int i = 0; i < 10; ++i) use_both(world);  // not measured, because a process's first communicators take longer
    first_use(settings.first, world);
    const auto before = quadrille::testing::resources();
    use_once(settings, world);
    const auto after = quadrille::testing::resources();
    print(world, "before", before);
    print(world, "after", after);
  });
}
