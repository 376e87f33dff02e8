// SPDX-License-Identifier: BSD-3-Clause
// Measures how long planning the four-stage irregular exchange takes. Goals: for dense counts of 256 ranks less than 50 ms for the
// analysis, and less than 5 ms for a rank's program after it; for 16,384 ranks with 8 partners each less than 5 s and 2 GiB for the
// analysis.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

Problem dense(Count p) { return make_traffic(p, {.kind = TrafficKind::power_law, .typical = 4096}); }
Problem sparse(Count p) {
  return make_traffic(p, {.kind = TrafficKind::sparse, .typical = 65536, .density = 8.0 / static_cast<double>(p)});
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

template <Problem (*problem_of)(Count)>
void analyse(benchmark::State& state) {
  const Problem problem = problem_of(state.range(0));
  const Choice choice = parse_choice(problem, "four-stage");
  for (auto _ : state) benchmark::DoNotOptimize(choice.algorithm->analyse(problem, choice.parameters));
  state.counters["peak_bytes"] = peak_bytes();
}
BENCHMARK(analyse<dense>)->Name("analyse_dense/small")->Arg(32);
BENCHMARK(analyse<sparse>)->Name("analyse_sparse/small")->Arg(256);
BENCHMARK(analyse<dense>)->Name("analyse_dense")->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(analyse<sparse>)->Name("analyse_sparse")->Arg(16384)->Unit(benchmark::kMillisecond);

template <Problem (*problem_of)(Count)>
void program(benchmark::State& state) {
  const Count p = state.range(0);
  const Schedule schedule = make_schedule(problem_of(p), "four-stage");
  Rank rank = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(schedule.program(rank));
    rank = (rank + 37) % p;
  }
  state.counters["peak_bytes"] = peak_bytes();
}
BENCHMARK(program<dense>)->Name("four_stage_program_dense/small")->Arg(32);
BENCHMARK(program<dense>)->Name("four_stage_program_dense")->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(program<sparse>)->Name("four_stage_program_sparse")->Arg(16384)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quadrille
