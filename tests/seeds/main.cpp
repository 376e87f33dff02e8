// SPDX-License-Identifier: BSD-3-Clause
// Runs the engine under seeds: random programs of simulated ranks, whose every switch, delay and failure follows from one number.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "foundation/planted.hpp"
#include "seeds/coverage.hpp"
#include "seeds/plants.hpp"
#include "seeds/program.hpp"

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

std::uint64_t seed_in_progress = 0;

Area area_of(std::uint64_t seed, const std::string& only) {
  if (only.empty()) return seed % 3 == 0 ? Area::nodes : Area::engine;
  return only == "nodes" ? Area::nodes : Area::engine;
}

// The engine has asserted, or has used memory that is not mapped.
void crash(int signal) {
  if (planted.empty())
    fmt::print("seed {}: signal {} ended the run\n", seed_in_progress, signal);
  else
    fmt::print("{:<32} seed {}: signal {}\n", planted, seed_in_progress, signal);
  std::fflush(stdout);
  std::_Exit(planted.empty() ? 1 : 0);
}

void report(std::uint64_t seed, const Program& program) {
  const Program least = shrunk(program, seed);
  const Outcome outcome = run_program(least, seed);
  fmt::print("seed {}: {}\nthe least program:\n{}the last switches:\n", seed, outcome.failure, to_string(least));
  for (const Switch& each : outcome.switches)
    fmt::print("  {:>13} ns  rank {} to {}: {} {}\n", each.now_ns, static_cast<long>(each.from), static_cast<long>(each.to),
               each.what, shown_place(each.place));
  std::fflush(stdout);
}

int run(const Options& options) {
  const auto dots = options.seeds.find("..");
  const std::uint64_t first = std::stoull(options.seeds);
  const std::uint64_t last = dots == std::string::npos ? first : std::stoull(options.seeds.substr(dots + 2));
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t seeds = 0, failures = 0, points = 0, deaths = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    if (options.seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > options.seconds)
      break;
    seed_in_progress = seed;
    const Program program = random_program(area_of(seed, options.only), seed);
    const Outcome outcome = run_program(program, seed);
    ++seeds, points += outcome.points, deaths += outcome.deaths;
    if (options.trace) fmt::print("seed {}: {} points, {} deaths\n{}", seed, outcome.points, outcome.deaths, to_string(program));
    if (options.twice && run_program(program, seed).points != outcome.points) {
      fmt::print("seed {}: two runs differ\n", seed);
      ++failures;
    }
    if (outcome.failure.empty()) continue;
    ++failures;
    report(seed, program);
  }
  if (options.coverage) fmt::print("{}", coverage());
  fmt::print("{} seeds, {} failures ({} protocol points, {} deaths)\n", seeds, failures, points, deaths);
  return failures > 0;
}

// Runs seeds with a planted fault until one fails. Returns 0 if one does.
int find_planted(std::string_view name, const std::string& only) {
  constexpr std::uint64_t most_seeds = 2000;
  planted = name;
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
    seed_in_progress = seed;
    const Outcome outcome = run_program(random_program(area_of(seed, only), seed), seed);
    if (outcome.failure.empty()) continue;
    fmt::print("{:<32} seed {}: {}\n", name, seed, outcome.failure);
    return 0;
  }
  fmt::print("{:<32} not found in {} seeds\n", name, most_seeds);
  return 1;
}

// Each fault has a process of its own, because it may end it.
int find_all_planted(const std::string& only) {
  int missed = 0;
  for (const char* const name : plants_of_engine) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      const int code = find_planted(name, only);
      std::fflush(stdout);
      std::_Exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    missed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  fmt::print("{} faults planted, {} found\n", plants_of_engine.size(), plants_of_engine.size() - static_cast<std::size_t>(missed));
  return missed > 0;
}

int carry_out(const Options& options) {
  for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(each, crash);
  if (options.plant.empty()) return run(options);
  if (options.plant == "all") return find_all_planted(options.only);
  if (options.plant != "list") return find_planted(options.plant, options.only);
  for (const char* const name : plants_of_engine) fmt::print("{}\n", name);
  return 0;
}

}  // namespace
}  // namespace quadrille::seeds

int main(int count, char** words) {
  using namespace quadrille::seeds;
  // Where memory lies within a page decides how the engine copies. So long blocks begin at the same place of a page in all runs.
  mallopt(M_MMAP_THRESHOLD, 2048);
  mallopt(M_MMAP_MAX, 1 << 30);
  Options options;
  CLI::App app(
      "Runs production's engine in random programs of simulated ranks. One number, the seed, decides the program, which rank goes "
      "on\n"
      "at each protocol point, how late a rank sees another's stores, what the system refuses, and when a rank dies. The same "
      "seed\n"
      "gives the same run on every machine. A failure prints its seed, the least program that fails, and the last 50 switches.");
  app.add_option("--seeds", options.seeds, "A..B, or one seed")
      ->capture_default_str()
      ->check(CLI::Validator(
          [](const std::string& text) {
            const auto is_number = [](const std::string& word) {
              return !word.empty() && word.size() < 19 && word.find_first_not_of("0123456789") == std::string::npos;
            };
            const auto dots = text.find("..");
            const bool is_right =
                dots == std::string::npos ? is_number(text) : is_number(text.substr(0, dots)) && is_number(text.substr(dots + 2));
            return is_right ? std::string() : "give A..B, such as 1..300, or one number";
          },
          ""));
  app.add_option("--time", options.seconds, "begin no further seed after so many seconds");
  app.add_option("--only", options.only, "one area")->check(CLI::IsMember({"engine", "nodes"}));
  app.add_flag("--trace", options.trace, "print each seed's program");
  app.add_flag("--twice", options.twice, "run each seed twice, and compare");
  app.add_flag("--coverage", options.coverage, "say which protocol points were reached");
  app.add_option("--plant", options.plant, "plant a fault and run seeds until one finds it: NAME, all, or list");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return carry_out(options);
}
