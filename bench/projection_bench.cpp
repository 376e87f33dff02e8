// SPDX-License-Identifier: BSD-3-Clause
// Times of projections. The arguments are the ranks of a recording and the calls of each rank: a loop over an exchange in rows,
// an exchange among all ranks, a broadcast and a sum, after varying gaps.
//
//   quadrille_bench --benchmark_filter='projection/64/1000000'
#include <benchmark/benchmark.h>

#include <numeric>
#include <random>

#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "recording/entries.hpp"

namespace {

using namespace quadrille;

constexpr Rank ranks_of_row = 8;

Recording made_recording(Rank ranks, Count calls) {
  Recording recording{.program = "loop", .mpi = "Open MPI v4.1.4", .version = "1", .world_size = ranks};
  const auto add = [&](std::vector<Rank> members) { recording.communicators.push_back({"", std::move(members), 0, false}); };
  std::vector<Rank> world(index(ranks));
  std::iota(world.begin(), world.end(), Rank{0});
  add(world);
  recording.sites = {{.function = "Alltoall", .block_bytes = 256},
                     {.function = "Bcast", .root = 0, .block_bytes = 64},
                     {.function = "Allreduce", .type_bytes = 8, .block_bytes = 8}};
  for (Rank first = 0; first < ranks; first += ranks_of_row) {
    add({world.begin() + first, world.begin() + first + ranks_of_row});
    recording.sites.push_back({.function = "Alltoall", .communicator = recording.communicators.size() - 1, .block_bytes = 4096});
  }
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.2);
  for (Rank rank = 0; rank < ranks; ++rank) {
    RecordedRank recorded{.rank = rank, .host = "here", .has_ended = true, .calls = calls};
    recorded.sites = {0, 1, 2, static_cast<std::uint32_t>(3 + rank / ranks_of_row)};
    recorded.times.resize(4);
    recording::EntryCoder coder;
    for (int site = 0; site < 4; ++site) coder.add_site();
    const auto about = [&](double ns) { return static_cast<std::uint64_t>(ns * std::max(0.1, noise(random))); };
    for (Count call = 0; call < calls; ++call)
      coder.code({static_cast<std::uint32_t>(call % 4), about(20e3), 0, about(30e3)},
                 [&](recording::Unit unit) { recorded.entries.append(reinterpret_cast<const char*>(&unit), sizeof unit); });
    recording.ranks.push_back(std::move(recorded));
  }
  return recording;
}

void projection(benchmark::State& state) {
  const Rank ranks = state.range(0);
  const Recording recording = made_recording(ranks, state.range(1));
  ProjectionOptions options{.machine = find_machine("hdr")};
  for (Rank rank = 0; rank < ranks; ++rank) options.nodes.push_back(rank / ranks_of_row);
  for (auto _ : state) benchmark::DoNotOptimize(project(recording, options));
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

}  // namespace

BENCHMARK(projection)->Name("projection/small")->Args({16, 1000})->Unit(benchmark::kMillisecond);
BENCHMARK(projection)->Args({64, 1'000'000})->Args({512, 100'000})->Unit(benchmark::kMillisecond)->Iterations(1);
