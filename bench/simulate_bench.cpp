// SPDX-License-Identifier: BSD-3-Clause
// Simulating more ranks than there are. Wanted, on one core: Bruck's alltoall among 1,048,576 ranks by rounds in less than 2 s; on
// a torus of 64 x 64 with its links, by the torus exchange and by direct messages, 16.7 million of them, in less than 10 s; by
// events at least 2 million messages a second, apart from making the programs and with it; the four stages among 16,384 ranks with
// 8 partners each in less than 8 GiB. `messages/s` counts what comes after the programs, or everything where the name says
// `and_programs`.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

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
    end = simulate_rounds(make_schedule(alltoall(state.range(0), 8), "bruck"), *find_model("linear"), find_machine("sp1")).end;
  state.counters["simulated_s"] = seconds_of(end);
}
BENCHMARK(bruck_by_rounds)->Name("bruck_by_rounds/small")->Arg(1000);
BENCHMARK(bruck_by_rounds)->Arg(1'048'576)->Unit(benchmark::kMillisecond);

void torus_by_rounds(benchmark::State& state, const std::string& algorithm) {
  const Count side = state.range(0);
  const Topology torus = Topology::torus({side, side});
  Problem problem = alltoall(side * side, 64);
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

void events(benchmark::State& state, const Problem& problem, const std::string& specification, EventOptions options,
            bool with_programs) {
  const MessageTimes times{.overhead = 1'500'000, .latency = 3'000'000, .gap = 2'000'000, .per_byte = ByteTime::of_seconds(1e-10)};
  Count messages = 0;
  EventSimulation simulation;
  for (auto _ : state) {
    state.PauseTiming();
    Schedule schedule = make_schedule(problem, specification);
    std::vector<Program> programs;
    if (!with_programs) {
      for (Rank rank = 0; rank < problem.ranks; ++rank) programs.push_back(schedule.program(rank));
      schedule.program = [&programs](Rank rank) { return std::move(programs[static_cast<std::size_t>(rank)]); };
    }
    state.ResumeTiming();
    simulation = simulate_events(schedule, times, options);
    messages += simulation.messages;
  }
  state.counters["messages"] = static_cast<double>(simulation.messages);
  state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
  state.counters["simulated_s"] = seconds_of(simulation.end);
  state.counters["peak_bytes"] = peak_bytes();
}

void alltoall_by_events(benchmark::State& state, const std::string& specification, Policy policy, bool with_programs) {
  events(state, alltoall(state.range(0), 64), specification, {.policy = policy}, with_programs);
}
BENCHMARK_CAPTURE(alltoall_by_events, ring, "ring", Policy::dataflow, true)->Name("events/ring/small")->Arg(16);
BENCHMARK_CAPTURE(alltoall_by_events, bruck, "bruck", Policy::nonblocking, true)->Name("events/bruck/small")->Arg(16);

#define QUADRILLE_EVENTS(kind, policy, with_programs)                                                                   \
  BENCHMARK_CAPTURE(alltoall_by_events, kind, "ring", policy, with_programs)->Arg(1024)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(alltoall_by_events, kind / bruck, "bruck", policy, with_programs)                                   \
      ->Arg(1024)                                                                                                       \
      ->Arg(4096)                                                                                                       \
      ->Unit(benchmark::kMillisecond);                                                                                  \
  BENCHMARK_CAPTURE(alltoall_by_events, kind / direct, "direct", policy, with_programs)->Arg(1024)->Unit(benchmark::kMillisecond)
QUADRILLE_EVENTS(blocking, Policy::blocking, false);
QUADRILLE_EVENTS(nonblocking, Policy::nonblocking, false);
QUADRILLE_EVENTS(dataflow, Policy::dataflow, false);
QUADRILLE_EVENTS(and_programs, Policy::blocking, true);
#undef QUADRILLE_EVENTS

void events_on_links(benchmark::State& state) {
  const Topology torus = Topology::torus({state.range(0), state.range(0)});
  events(state, alltoall(torus.ranks(), 64), "direct", {.topology = &torus}, false);
}
BENCHMARK(events_on_links)->Name("events_on_links/small")->Arg(4);
BENCHMARK(events_on_links)->Arg(32)->Unit(benchmark::kMillisecond);

void four_stages_by_events(benchmark::State& state) {
  const Count p = state.range(0);
  const Problem problem = make_traffic(p, {.kind = TrafficKind::sparse, .typical = 65536, .density = 8.0 / static_cast<double>(p)});
  events(state, problem, "four-stage", {}, true);
}
BENCHMARK(four_stages_by_events)->Name("four_stages_by_events/small")->Arg(64);
BENCHMARK(four_stages_by_events)->Arg(16384)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace quadrille
