// SPDX-License-Identifier: BSD-3-Clause
// Measures the exchange on large tori: generating a rank's own program, and counting the schedule by symmetry. Goals for 128 x 128
// ranks: less than 50 ms for a program, which moves a million blocks by one or two links each, and less than 1 s for the figures.
#include <benchmark/benchmark.h>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

Schedule on_torus(Count side) {
  Problem problem = Problem::alltoall(side * side, 8);
  problem.grid = {side, side};
  return make_schedule(problem, "torus");
}

void generate_torus_program(benchmark::State& state) {
  const Schedule schedule = on_torus(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(schedule.program(schedule.problem.ranks / 3));
}
BENCHMARK(generate_torus_program)->Name("generate_torus_program/small")->Arg(8);
BENCHMARK(generate_torus_program)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

void torus_figures_by_symmetry(benchmark::State& state) {
  Figures counted;
  for (auto _ : state) benchmark::DoNotOptimize(counted = figures(on_torus(state.range(0))));
  state.counters["c1"] = static_cast<double>(counted.c1);
  state.counters["c2"] = static_cast<double>(counted.c2);
}
BENCHMARK(torus_figures_by_symmetry)->Name("torus_figures_by_symmetry/small")->Arg(8);
BENCHMARK(torus_figures_by_symmetry)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quadrille
