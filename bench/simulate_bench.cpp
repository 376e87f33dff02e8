// SPDX-License-Identifier: BSD-3-Clause
// Measures simulations of more ranks than the machine has. Goals, on one core: Bruck's alltoall among 1,048,576 ranks by rounds in
// less than 2 s; on a torus of 64 x 64 with its links, the torus exchange and direct messages (16.7 million) in less than 10 s; by
// events at least 2 million messages a second, without the time of generating the programs; the four stages among 16,384 ranks with
// 8 partners each in less than 8 GiB. `messages/s` counts the time after the programs are generated.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <utility>

#include "quadrille/quadrille.hpp"

namespace quadrille {
namespace {

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void bruck_by_rounds(benchmark::State& state) {
  Picoseconds end = 0;
  for (auto _ : state)
    end = simulate_rounds(make_schedule(Problem::alltoall(state.range(0), 8), "bruck"), *find_model("linear"), find_machine("sp1"))
              .end;
  state.counters["simulated_s"] = seconds_of(end);
}
BENCHMARK(bruck_by_rounds)->Name("bruck_by_rounds/small")->Arg(1000);
BENCHMARK(bruck_by_rounds)->Arg(1'048'576)->Unit(benchmark::kMillisecond);

void torus_by_rounds(benchmark::State& state, const std::string& algorithm) {
  const Count side = state.range(0);
  const Topology torus = Topology::torus({side, side});
  Problem problem = Problem::alltoall(side * side, 64);
  problem.grid = {side, side};
  Picoseconds end = 0;
  for (auto _ : state)
    end =
        simulate_rounds(make_schedule(problem, algorithm), *find_model("torus"), find_machine("paragon"), {.topology = &torus}).end;
  state.counters["simulated_s"] = seconds_of(end);
  state.counters["peak_bytes"] = peak_bytes();
}
BENCHMARK_CAPTURE(torus_by_rounds, torus, "torus")->Name("torus_by_rounds/torus/small")->Arg(4);
BENCHMARK_CAPTURE(torus_by_rounds, direct, "direct")->Name("torus_by_rounds/direct/small")->Arg(4);
BENCHMARK_CAPTURE(torus_by_rounds, torus, "torus")->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(torus_by_rounds, direct, "direct")->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(torus_by_rounds, shift, "shift")->Arg(64)->Unit(benchmark::kMillisecond);

// Runs one simulation per iteration; the time of generating the programs is measured separately.
void events(benchmark::State& state, const Problem& problem, const std::string& specification, EventOptions options) {
  using Clock = std::chrono::steady_clock;
  const MessageTimes times{.overhead = 1'500'000, .latency = 3'000'000, .gap = 2'000'000, .per_byte = ByteTime::of_seconds(1e-10)};
  Schedule schedule = make_schedule(problem, specification);
  Clock::duration programs{};
  schedule.program = [&programs, make = schedule.program](Rank rank) {
    const auto begin = Clock::now();
    Program program = make(rank);
    programs += Clock::now() - begin;
    return program;
  };
  const auto begin = Clock::now();
  double messages = 0;
  EventSimulation simulation;
  for (auto _ : state) {
    simulation = simulate_events(schedule, times, options);
    messages += static_cast<double>(simulation.messages);
  }
  const std::chrono::duration<double> all = Clock::now() - begin, apart = all - programs;
  state.counters["messages"] = static_cast<double>(simulation.messages);
  state.counters["messages/s"] = messages / apart.count();
  state.counters["with_programs/s"] = messages / all.count();
  state.counters["simulated_s"] = seconds_of(simulation.end);
  state.counters["peak_bytes"] = peak_bytes();
}

void alltoall_by_events(benchmark::State& state, const char* specification, Policy policy) {
  events(state, Problem::alltoall(state.range(0), 64), specification, {.policy = policy});
}

void register_alltoall() {
  for (const auto& [policy, name] :
       {std::pair(Policy::blocking, "blocking"), {Policy::nonblocking, "nonblocking"}, {Policy::dataflow, "dataflow"}})
    for (const auto& [specification, ranks] : {std::pair<const char*, Count>("ring", 1024),
                                               {"bruck", 1024},
                                               {"bruck", 4096},
                                               {"direct", 1024},
                                               {"ring", 16},
                                               {"bruck", 16}})
      benchmark::RegisterBenchmark((std::string("events/") + name + '/' + specification + (ranks == 16 ? "/small" : "")).c_str(),
                                   [specification = specification, policy = policy](benchmark::State& state) {
                                     alltoall_by_events(state, specification, policy);
                                   })
          ->Arg(ranks)
          ->Unit(benchmark::kMillisecond);
}
const bool registered = (register_alltoall(), true);

void events_on_links(benchmark::State& state) {
  const Topology torus = Topology::torus({state.range(0), state.range(0)});
  events(state, Problem::alltoall(torus.ranks(), 64), "direct", {.topology = &torus});
}
BENCHMARK(events_on_links)->Name("events_on_links/small")->Arg(4);
BENCHMARK(events_on_links)->Arg(32)->Unit(benchmark::kMillisecond);

void four_stages_by_events(benchmark::State& state) {
  const Count p = state.range(0);
  const Problem problem = make_traffic(p, {.kind = TrafficKind::sparse, .typical = 65536, .density = 8.0 / static_cast<double>(p)});
  events(state, problem, "four-stage", {});
}
BENCHMARK(four_stages_by_events)->Name("four_stages_by_events/small")->Arg(64);
BENCHMARK(four_stages_by_events)->Arg(16384)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace quadrille
