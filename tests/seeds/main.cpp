// SPDX-License-Identifier: BSD-3-Clause
// Runs production classes under seeds: all that is left to chance in a run, from the program to each switch, delay and failure,
// follows from one number.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <new>
#include <span>
#include <string>

#include "foundation/planted.hpp"
#include "seeds/coverage.hpp"
#include "seeds/deciding.hpp"
#include "seeds/plants.hpp"
#include "seeds/program.hpp"
#include "seeds/recording.hpp"

namespace quadrille {
std::string_view planted;
}

namespace quadrille::seeds {
namespace {

// What runs under seeds. `run` returns what is wrong, or "".
struct Part {
  std::string_view name, what;
  Outcome (*run)(std::uint64_t seed);
  void (*report)(std::uint64_t seed, const Outcome& outcome);
  std::span<const char* const> plants;
};

void print(const std::deque<Switch>& switches) {
  fmt::print("the last switches:\n");
  for (const Switch& each : switches)
    fmt::print("  {:>13} ns  rank {} to {}: {} {}\n", each.now_ns, static_cast<long>(each.from), static_cast<long>(each.to),
               each.what, shown_place(each.place));
}

void report_failure(std::uint64_t seed, const Outcome& outcome) { fmt::print("seed {}: {}\n", seed, outcome.failure); }

template <Area area>
Outcome run_engine(std::uint64_t seed) {
  return run_program(random_program(area, seed), seed);
}

template <Area area>
void report_engine(std::uint64_t seed, const Outcome&) {
  const Program least = shrunk(random_program(area, seed), seed);
  const Outcome outcome = run_program(least, seed);
  fmt::print("seed {}: {}\nthe least program:\n{}", seed, outcome.failure, to_string(least));
  print(outcome.switches);
}

const std::array parts{
    Part{"engine", "plans, exchanges and requests of the ranks of a node", run_engine<Area::engine>, report_engine<Area::engine>,
         plants_of_engine},
    Part{"nodes", "the same on several nodes, between which MPI carries messages", run_engine<Area::nodes>,
         report_engine<Area::nodes>, plants_of_nodes},
    Part{"recording", "recordings of which a kill leaves a part",
         [](std::uint64_t seed) { return Outcome{.failure = run_recording(seed)}; }, report_failure, plants_of_recording},
    Part{"deciding", "ranks that decide which calls Quadrille runs",
         [](std::uint64_t seed) { return Outcome{.failure = run_deciding(seed)}; }, report_failure, plants_of_deciding}};

const Part& part_of(std::uint64_t seed, std::string_view only) {
  constexpr std::size_t turns[] = {0, 1, 0, 2, 0, 1, 0, 3};
  const auto named = std::find_if(parts.begin(), parts.end(), [&](const Part& each) { return each.name == only; });
  return named != parts.end() ? *named : parts[turns[seed % std::size(turns)]];
}

struct Options {
  std::string seeds = "1..300", time, only, plant;
  bool trace = false, coverage = false, twice = false;
};

std::uint64_t seed_in_progress = 0;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A contract is broken, or memory is used that is not mapped.
void crash(int signal) {
  std::signal(signal, SIG_DFL);
  if (planted.empty()) {
    fmt::print("seed {}: signal {} ended the run\n", seed_in_progress, signal);
    if (const Fibres* const fibres = Fibres::current()) {
      fmt::print("the program:\n{}", program_in_progress());
      print(fibres->last_switches());
    }
  } else {
    fmt::print("{:<32} seed {}: signal {}\n", planted, seed_in_progress, signal);
  }
  std::fflush(stdout);
  std::_Exit(planted.empty() ? 1 : 0);
}

struct Counts {
  std::uint64_t seeds = 0, failures = 0, points = 0, deaths = 0;
};

// Runs seeds and counts in memory that outlives this process.
void run_seeds(const Options& options, std::uint64_t first, std::uint64_t last, double until_s, Counts& counts) {
  for (std::uint64_t seed = first + counts.seeds; seed <= last && (until_s == 0 || now_s() < until_s); ++seed) {
    seed_in_progress = seed;
    const Part& part = part_of(seed, options.only);
    ++counts.seeds;
    const Outcome outcome = part.run(seed);
    counts.points += outcome.points, counts.deaths += outcome.has_death;
    if (options.trace)
      fmt::print("seed {}: {}, {} points{}\n{}", seed, part.name, outcome.points, outcome.has_death ? ", a death" : "",
                 outcome.program);
    if (options.twice)
      if (const Outcome again = part.run(seed); again.points != outcome.points || again.failure != outcome.failure)
        fmt::print("seed {}: two runs differ\n", seed), ++counts.failures;
    if (outcome.failure.empty()) continue;
    ++counts.failures;
    part.report(seed, outcome);
    std::fflush(stdout);
  }
  if (options.coverage) fmt::print("{}", coverage());
  std::fflush(stdout);
}

// A process runs the seeds. If a seed ends it, another one runs the seeds that follow.
int run(const Options& options) {
  const auto dots = options.seeds.find("..");
  const std::uint64_t first = std::stoull(options.seeds);
  const std::uint64_t last = dots == std::string::npos ? first : std::stoull(options.seeds.substr(dots + 2));
  const double until_s = options.time.empty() ? 0 : now_s() + std::stod(options.time);
  void* const memory = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fmt::print(stderr, "there is no memory\n"), 1;
  Counts& counts = *new (memory) Counts;
  while (true) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      run_seeds(options, first, last, until_s, counts);
      std::_Exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    ++counts.failures;
    fmt::print("seed {}: its process ended, {} {}\n", first + counts.seeds - 1, WIFSIGNALED(status) ? "signal" : "exit code",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  if (counts.seeds < last - first + 1) fmt::print("the time is over; go on with --seeds {}..{}\n", first + counts.seeds, last);
  fmt::print("{} seeds, {} failures ({} protocol points, {} runs with a death)\n", counts.seeds, counts.failures, counts.points,
             counts.deaths);
  return counts.failures > 0;
}

// Runs seeds with a planted fault until one fails. Returns 0 if one does.
int find_planted(std::string_view name, const Part& part) {
  constexpr std::uint64_t most_seeds = 2000;
  planted = name;
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
    seed_in_progress = seed;
    const Outcome outcome = part.run(seed);
    if (outcome.failure.empty()) continue;
    fmt::print("{:<32} seed {}: {}\n", name, seed, outcome.failure.substr(0, outcome.failure.find('\n')));
    return 0;
  }
  fmt::print("{:<32} not found in {} seeds\n", name, most_seeds);
  return 1;
}

// Plants the faults with this name, or all. Each has a process of its own, because it may end it.
int plant(const std::string& wanted, const std::string& only) {
  std::size_t count = 0, found = 0;
  for (const Part& part : parts) {
    if (!only.empty() && part.name != only) continue;
    for (const char* const name : part.plants) {
      if (wanted != "all" && wanted != name) continue;
      ++count;
      std::fflush(stdout);
      const pid_t child = ::fork();
      if (child == 0) {
        const int code = find_planted(name, part);
        std::fflush(stdout);
        std::_Exit(code);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      found += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
  }
  if (count == 0) return fmt::print(stderr, "no fault is named '{}'; --plant list names them\n", wanted), 2;
  fmt::print("{} faults planted, {} found\n", count, found);
  return found < count;
}

int list_plants() {
  for (const Part& part : parts) {
    fmt::print("{}: {}\n", part.name, part.what);
    for (const char* const name : part.plants) fmt::print("  {}\n", name);
  }
  return 0;
}

std::string wrong_range(const std::string& text) {
  const auto is_number = [](const std::string& word) {
    return !word.empty() && word.size() < 19 && word.find_first_not_of("0123456789") == std::string::npos;
  };
  const auto dots = text.find("..");
  const std::string first = text.substr(0, dots), last = dots == std::string::npos ? first : text.substr(dots + 2);
  if (is_number(first) && is_number(last) && std::stoull(first) <= std::stoull(last)) return "";
  return "give A..B, such as 1..300, or one number";
}

std::string wrong_time(const std::string& text) {
  const std::string number = text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
  const bool is_number = !number.empty() && number.size() < 10 && number.find_first_not_of("0123456789") == std::string::npos &&
                         std::stoull(number) > 0;
  return is_number ? "" : "give seconds, such as 60s";
}

}  // namespace
}  // namespace quadrille::seeds

int main(int count, char** words) {
  using namespace quadrille::seeds;
  for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(each, crash);
  Options options;
  CLI::App app(
      "Runs production classes in random programs of simulated ranks. One number, the seed, decides the program, which rank goes "
      "on at "
      "each protocol point, how late a rank sees another's stores, what the system refuses, and when a rank dies. The same seed "
      "gives "
      "the same run on every machine. A failure prints its seed, the least program that fails, and the last 50 switches.");
  std::string names;
  for (const Part& part : parts) names += fmt::format("\n  {}: {}", part.name, part.what);
  app.add_option("--seeds", options.seeds, "A..B, or one seed")->capture_default_str()->check(CLI::Validator(wrong_range, ""));
  app.add_option("--time", options.time, "begin no further seed after so many seconds")->check(CLI::Validator(wrong_time, ""));
  app.add_option("--only", options.only, "one part; all by turns if it is not given" + names)
      ->check(CLI::IsMember({"engine", "nodes", "recording", "deciding"}));
  app.add_flag("--trace", options.trace, "print each seed's program");
  app.add_flag("--twice", options.twice, "run each seed twice, and compare");
  app.add_flag("--coverage", options.coverage, "say which protocol points were reached");
  app.add_option("--plant", options.plant, "plant a fault and run seeds until one finds it: NAME, all, or list");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.plant.empty()) return run(options);
  return options.plant == "list" ? list_plants() : plant(options.plant, options.only);
}
