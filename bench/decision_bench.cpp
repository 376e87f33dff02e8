// SPDX-License-Identifier: BSD-3-Clause
// Measures what choosing an algorithm costs: making a plan for which the choice is made by wisdom or by price, and pricing all
// candidates.
#include <benchmark/benchmark.h>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

Problem on_one_node(Problem problem) {
  problem.nodes.assign(static_cast<std::size_t>(problem.ranks), 0);
  return problem;
}

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
