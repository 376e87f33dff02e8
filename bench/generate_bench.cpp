// SPDX-License-Identifier: BSD-3-Clause
// Measures what it costs one rank among very many to generate its own program, and what it costs to count the whole schedule by
// symmetry. Goals: a program in less than 1 ms and 1 MB, figures in less than 1 s, for p = 1,048,576 and p = 1,000,003.
#include <benchmark/benchmark.h>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

double memory_bytes(const Regions& regions) { return static_cast<double>(regions.capacity() * sizeof(Region)); }

double memory_bytes(const Program& program) {
  double total = sizeof program + static_cast<double>(program.stages.capacity() * sizeof(Stage));
  for (const Stage& stage : program.stages) total += static_cast<double>(stage.name.capacity());
  total += static_cast<double>(program.rounds.capacity() * sizeof(Round));
  for (const Round& round : program.rounds) {
    for (const Local& local : round.locals) total += sizeof local + memory_bytes(local.source) + memory_bytes(local.target);
    for (const Message& message : round.sends) total += sizeof message + memory_bytes(message.regions);
    for (const Message& message : round.receives) total += sizeof message + memory_bytes(message.regions);
  }
  return total;
}

// Generates a rank's program from the problem, including the analysis that the ranks of a process share.
void generate_program(benchmark::State& state) {
  const Count p = state.range(0);
  double bytes = 0;
  for (auto _ : state) {
    const Program program = make_schedule(Problem::alltoall(p, 8), "bruck:radix=2").program(p / 3);
    bytes = memory_bytes(program);
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["program_bytes"] = bytes;
}
BENCHMARK(generate_program)->Name("generate_program/small")->Arg(1000);
BENCHMARK(generate_program)->Arg(1'048'576)->Arg(1'000'003)->Unit(benchmark::kMicrosecond);

void figures_by_symmetry(benchmark::State& state) {
  const Count p = state.range(0);
  Figures counted;
  for (auto _ : state) benchmark::DoNotOptimize(counted = figures(make_schedule(Problem::alltoall(p, 8), "bruck:radix=2")));
  state.counters["c1"] = static_cast<double>(counted.c1);
  state.counters["c2"] = static_cast<double>(counted.c2);
}
BENCHMARK(figures_by_symmetry)->Name("figures_by_symmetry/small")->Arg(1000);
BENCHMARK(figures_by_symmetry)->Arg(1'048'576)->Arg(1'000'003)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quadrille
