// SPDX-License-Identifier: BSD-3-Clause
// Runs the engine under seeds: random programs of simulated ranks, whose every switch, delay and failure follows from one number.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "foundation/planted.hpp"
#include "seeds/coverage.hpp"
#include "seeds/deciding.hpp"
#include "seeds/program.hpp"
#include "seeds/recording.hpp"

namespace quadrille {
std::string_view planted;
}

namespace quadrille::seeds {
namespace {

struct Options {
  std::string seeds = "1..300", only, plant;
  double seconds = 0;
  bool trace = false, coverage = false, twice = false;
};

void report(std::uint64_t seed, const Program& program, const Outcome& outcome) {
  fmt::print("seed {}: {}\n{}the last switches:\n", seed, outcome.failure, to_string(program));
  for (const Switch& each : outcome.switches)
    fmt::print("  {:>12} ns  rank {} to {}  {} {}\n", each.now_ns, static_cast<long>(each.from), static_cast<long>(each.to),
               each.what, shown_place(each.place));
}

std::uint64_t seed_in_progress = 0;

// The engine has asserted, or has used memory that is not mapped.
void crash(int signal) {
  fmt::print("seed {}: signal {} ended the run\n", seed_in_progress, signal);
  std::fflush(stdout);
  std::_Exit(1);
}

int run(const Options& options) {
  for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(each, crash);
  const auto dots = options.seeds.find("..");
  const std::uint64_t first = std::stoull(options.seeds),
                      last = dots == std::string::npos ? first : std::stoull(options.seeds.substr(dots + 2));
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t seeds = 0, failures = 0, points = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    if (options.seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > options.seconds)
      break;
    const Area area = options.only == "engine"  ? Area::engine
                      : options.only == "nodes" ? Area::nodes
                      : seed % 3 == 0           ? Area::nodes
                                                : Area::engine;
    seed_in_progress = seed;
    const Program program = random_program(area, seed);
    const Outcome outcome = run_program(program, seed);
    if (options.twice && run_program(program, seed).points != outcome.points)
      fmt::print("seed {}: two runs differ\n", seed), ++failures;
    ++seeds, points += outcome.points;
    if (options.trace)
      fmt::print("seed {}: {} points{}\n{}", seed, outcome.points, outcome.deaths ? ", a death" : "", to_string(program));
    if (outcome.failure.empty()) continue;
    ++failures;
    const Program least = shrunk(program, seed);
    report(seed, least, run_program(least, seed));
    std::fflush(stdout);
  }
  if (options.coverage) fmt::print("{}", coverage());
  fmt::print("{} seeds, {} failures ({} points)\n", seeds, failures, points);
  return failures > 0;
}

// For the areas that have no fibres. With a planted fault: until a seed finds it.
int run_area(const Options& options, std::string (*area)(std::uint64_t seed)) {
  for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(each, crash);
  planted = options.plant;
  const auto dots = options.seeds.find("..");
  const std::uint64_t first = std::stoull(options.seeds),
                      last = dots == std::string::npos ? first : std::stoull(options.seeds.substr(dots + 2));
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed <= last && (planted.empty() || failures == 0); ++seed) {
    seed_in_progress = seed;
    const std::string wrong = area(seed);
    if (options.twice && area(seed) != wrong) fmt::print("seed {}: two runs differ\n", seed), ++failures;
    if (wrong.empty()) continue;
    fmt::print("seed {}: {}\n", seed, wrong);
    ++failures;
  }
  fmt::print("{} seeds, {} failures\n", last - first + 1, failures);
  return failures > 0;
}

}  // namespace
}  // namespace quadrille::seeds

int main(int count, char** words) {
  // Where memory lies within a page decides how the engine copies. So long blocks begin at the same place of a page in all runs.
  mallopt(M_MMAP_THRESHOLD, 2048);
  mallopt(M_MMAP_MAX, 1 << 30);
  quadrille::seeds::Options options;
  CLI::App app("Runs the engine's production classes under seeds.");
  app.add_option("--seeds", options.seeds, "A..B, or one seed");
  app.add_option("--time", options.seconds, "stop after this time, in seconds");
  app.add_option("--only", options.only, "engine, nodes, recording or deciding");
  app.add_flag("--trace", options.trace, "print each program");
  app.add_flag("--twice", options.twice, "run each seed twice, and compare");
  app.add_flag("--coverage", options.coverage, "say which protocol points were reached");
  app.add_option("--plant", options.plant, "plant this fault");
  CLI11_PARSE(app, count, words);
  if (options.only == "recording") return quadrille::seeds::run_area(options, quadrille::seeds::run_recording);
  if (options.only == "deciding") return quadrille::seeds::run_area(options, quadrille::seeds::run_deciding);
  return quadrille::seeds::run(options);
}
