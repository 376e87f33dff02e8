// SPDX-License-Identifier: BSD-3-Clause
// Measures how much more a typed call costs than Plan::execute if its plan exists already. Batches of both alternate; the counter
// more_ns is the median of the differences, in nanoseconds. Goal: at most 100.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "quadrille/collectives.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the time of one call in nanoseconds, measured over `calls` calls.
template <class Call>
double each_ns(int calls, Call&& call) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) call(i);
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls;
}

double median(std::vector<double> list) {
  std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
  return list[list.size() / 2];
}

// Compares `call` with `execute`, which do the same, on all ranks.
template <class Make>
void measure(benchmark::State& state, Make&& make) {
  const Count p = state.range(0);
  constexpr int calls = 500, batches = 200;
  for (auto _ : state)
    run_threads(p, [&](Communicator& ranks) {
      make(ranks, [&](auto&& call, auto&& execute) {
        call(0);  // makes the plan
        std::vector<double> more, executed;
        for (int batch = 0; batch < batches; ++batch) {
          const bool call_first = batch % 2 == 0;
          double call_ns = call_first ? each_ns(calls, call) : 0;
          executed.push_back(each_ns(calls, execute));
          if (!call_first) call_ns = each_ns(calls, call);
          more.push_back(call_ns - executed.back());
        }
        if (ranks.rank() == 0) state.counters["more_ns"] = median(more), state.counters["execute_ns"] = median(executed);
      });
    });
}

void alltoall_again(benchmark::State& state) {
  measure(state, [](Communicator& ranks, auto&& compare) {
    const std::vector<double> input(static_cast<std::size_t>(ranks.size()));
    std::vector<double> output(input.size());
    Plan made = plan(ranks, Problem::alltoall(ranks.size(), sizeof(double)));
    compare([&](int) { alltoall(ranks, input, output); }, [&](int) { made.execute(input.data(), output.data()); });
  });
}
BENCHMARK(alltoall_again)->Name("alltoall_again/small")->Arg(1)->Arg(2)->Iterations(1);

void allreduce_again(benchmark::State& state) {
  measure(state, [](Communicator& ranks, auto&& compare) {
    const std::vector<double> input(1);
    std::vector<double> output(1);
    const auto longest = [](double a, double b) { return a < b ? b : a; };
    auto made = plan_allreduce<double>(ranks, 1, commutative(longest));
    compare([&](int) { allreduce(ranks, input, output, commutative(longest)); },
            [&](int) { made.untyped().execute(input.data(), output.data()); });
  });
}
BENCHMARK(allreduce_again)->Name("allreduce_by_function_again/small")->Arg(1)->Arg(2)->Iterations(1);

// Uses 64 sizes in turn, so that each call has to find its plan among the others.
void sizes_in_turn(benchmark::State& state) {
  measure(state, [](Communicator& ranks, auto&& compare) {
    constexpr std::size_t sizes = 64;
    const auto p = static_cast<std::size_t>(ranks.size());
    const std::vector<char> input(p * sizes);
    std::vector<char> output(p * sizes);
    std::vector<Plan> plans;
    for (std::size_t n = 1; n <= sizes; ++n) {
      plans.push_back(plan(ranks, Problem::alltoall(ranks.size(), static_cast<Bytes>(n))));
      alltoall(ranks, std::span(input).first(p * n), std::span(output).first(p * n));
    }
    const auto size = [](int i) { return static_cast<std::size_t>(i) % sizes + 1; };
    compare([&](int i) { alltoall(ranks, std::span(input).first(p * size(i)), std::span(output).first(p * size(i))); },
            [&](int i) { plans[size(i) - 1].execute(input.data(), output.data()); });
  });
}
BENCHMARK(sizes_in_turn)->Name("sizes_in_turn/small")->Arg(1)->Arg(2)->Iterations(1);

}  // namespace
}  // namespace quadrille
