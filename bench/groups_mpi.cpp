// SPDX-License-Identifier: BSD-3-Clause
// What further communicators cost a program that splits them, uses them and frees them. Ours and the vendor's by turns:
//   first use   of a communicator that exists: until all ranks have the result of an alltoall of 8 B;
//   once        split, one alltoall of 8 B, free; per communicator;
// and what of the process's memory, descriptors and mappings that has taken. Usage, under mpirun (groups_mpi.sh runs it):
//   groups_mpi [--first N] [--communicators N] [--batches N]
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

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

// What exists after the first use of a communicator by us.
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
      const bool is_ours = first == (i % 2 == 0);  // each goes first in half of the pairs
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

// The largest of all ranks.
void print(const World& world, const char* when, const testing::Resources& mine) {
  long long all[] = {mine.resident >> 10, mine.shared_files >> 10, mine.descriptors, mine.mappings};
  MPI_Allreduce(MPI_IN_PLACE, all, std::size(all), MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank == 0)
    std::printf("%s: %lld KiB resident, %lld KiB in memfds, %lld descriptors, %lld mappings\n", when, all[0], all[1], all[2],
                all[3]);
}

Settings settings_of(int count, char** arguments) {
  static constexpr option known[] = {{"first", required_argument, nullptr, 'f'},
                                     {"communicators", required_argument, nullptr, 'c'},
                                     {"batches", required_argument, nullptr, 'b'},
                                     {nullptr, 0, nullptr, 0}};
  Settings settings;
  for (int found = 0; (found = ::getopt_long(count, arguments, "", known, nullptr)) != -1;) {
    switch (found) {
      case 'f': settings.first = std::stol(optarg); break;
      case 'c': settings.communicators = std::stol(optarg); break;
      case 'b': settings.batches = std::max(1L, std::stol(optarg)); break;
      default: std::exit(2);  // getopt has said why
    }
  }
  return settings;
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  const Settings settings = settings_of(count, arguments);
  MPI_Init(&count, &arguments);
  try {
    World world;
    for (int i = 0; i < 10; ++i) use_both(world);  // not measured: the first ones in a process take longer
    first_use(settings.first, world);
    const auto before = quadrille::testing::resources();
    use_once(settings, world);
    const auto after = quadrille::testing::resources();
    print(world, "before", before);
    print(world, "after", after);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
