// SPDX-License-Identifier: BSD-3-Clause
// What choosing costs: at a call whose plan is kept, at a plan for which a choice is made by wisdom or by price, and pricing all
// that is worth pricing. Wanted: a call with a kept plan in less than 60 ns.
#include <benchmark/benchmark.h>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

Problem on_one_node(Problem problem) {
  problem.nodes.assign(static_cast<std::size_t>(problem.ranks), 0);
  return problem;
}

// One rank finds its plan among 64 others.
void kept_plan(benchmark::State& state) {
  run_threads(1, [&](Communicator& communicator) {
    PlanCache cache(communicator);
    for (Bytes bytes = 8; bytes <= 8 * 64; bytes += 8) cache.plan_for(Problem::alltoall(1, bytes));
    Bytes bytes = 8;
    for (auto _ : state) {
      benchmark::DoNotOptimize(&cache.plan_for(Problem::alltoall(1, bytes)));
      bytes = bytes % 512 + 8;
    }
  });
}
BENCHMARK(kept_plan)->Name("kept_plan/small");

void decide_by_price(benchmark::State& state) {
  const Problem problem = on_one_node(Problem::alltoall(state.range(0), 64));
  const DecisionOptions options{.executors = {Executor::shared}, .preset = find_machine("epyc")};
  std::size_t considered = 0;
  for (auto _ : state) considered = decide(problem, {}, options).considered.size();
  state.counters["considered"] = static_cast<double>(considered);
}
BENCHMARK(decide_by_price)->Name("decide_by_price/small")->Arg(4);
BENCHMARK(decide_by_price)->Arg(8)->Arg(16)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quadrille
