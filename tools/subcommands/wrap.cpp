// SPDX-License-Identifier: BSD-3-Clause
// quadrille wrap: runs an MPI program with the drop-in, a preloaded library that replaces MPI's collectives.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "foundation/environment.hpp"
#include "foundation/mpi_libraries.hpp"
#include "foundation/system/file_replacement.hpp"
#include "foundation/text/parsing.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/rules.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "recording/record_wish.hpp"
#include "subcommands/preload.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/text.hpp"
#include "watch/watcher.hpp"
#include "watch/wrapped_process.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

struct WrapArguments {
  bool off = false, profile = false, fold = false, no_learn = false, check = false, watch_abort = false, no_watch = false;
  std::optional<std::string> report, tune, choose, record, watch, heap;
  std::vector<std::string> command;
};

void set(const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); }

// Refuses a file to which a report could not be written after the run.
void check_target(const std::string& file) {
  FileReplacement target;
  if (const Result<> aimed = target.aim_at(file); !aimed)
    refuse(fmt::format("the report cannot be written to {}: {}", file, aimed.error()));
}

// Checks a kind of report and makes its path absolute, because the program may change its folder before it ends.
std::string checked_report(const std::string& words) {
  auto wish = mpi_face::parse_report_wish(words);
  if (!wish) refuse(fmt::format("'{}' is not a kind of report; it may be summary, full, summary:FILE or full:FILE", words));
  if (wish->file.empty()) return words;
  check_extension(wish->file, FileFormat::text);
  wish->file = fs::absolute(wish->file).string();
  check_target(wish->file);
  check_target(mpi_face::json_file(*wish));
  mpi_face::check_report_folder(*wish);
  return (wish->full ? "full:" : "summary:") + wish->file;
}

std::string checked_share(const std::string& percent) {
  const std::string wish = "run:" + percent;
  try {
    mpi_face::parse_tune_share(wish);
  } catch (const Error&) {
    refuse(fmt::format("'{}' is not a share of the run's time; it may be 2%, for instance, and at most 50%", percent));
  }
  return wish;
}

// Checks the rules of --choose. Whether an algorithm applies can only be checked at run time, when its problem is known.
std::string checked_rules(const std::string& text) {
  const mpi_face::ChoiceRules read = mpi_face::parse_rules(text);
  if (!read.refused.empty()) refuse(read.refused.front());
  return text;
}

// Makes the folder's path absolute, because the program may change its folder before MPI is initialised.
std::string checked_record(const std::string& folder, bool folds) {
  if (folder.empty()) refuse("--record= names no folder; leave the = out for quadrille-recording");
  const std::string absolute = fs::absolute(folder).string();
  recording::make_recording_folder(absolute);
  return (folds ? "fold:" : "calls:") + absolute;
}

void set_modes(const WrapArguments& options) {
  if (options.fold && !options.record) refuse("--fold is for recordings; add --record");
  if (options.record) {
    if (options.off || options.profile || options.report || options.tune || options.choose)
      refuse("with --record the MPI library runs every call, and only recording is done; leave the other options out");
    set("QUADRILLE_RECORD", checked_record(*options.record, options.fold));
    return;
  }
  if (options.off && (options.profile || options.report)) refuse("with --off nothing is counted; leave it or the report out");
  if (options.off) set("QUADRILLE", "off");
  if (options.profile) set("QUADRILLE", "profile");
  // --report replaces QUADRILLE_REPORT. The variable's file is checked before the run, too; main has checked the variable's form.
  const std::string report = options.report.value_or(options.off ? "" : environment_value("QUADRILLE_REPORT"));
  if (!report.empty() && report != "off") set("QUADRILLE_REPORT", checked_report(report));
  if (options.tune) set("QUADRILLE_TUNE", checked_share(*options.tune));
  if (options.no_learn) set("QUADRILLE_LEARN", "off");
  if (options.choose) set("QUADRILLE_CHOOSE", checked_rules(*options.choose));
}

// Does the library count calls? The variables that set_modes has set or left decide.
bool counts_calls() {
  const std::string mode = environment_value("QUADRILLE"), report = environment_value("QUADRILLE_REPORT");
  return mode == "profile" || (mode != "off" && !report.empty() && report != "off");
}

double checked_limit(const std::string& seconds) {
  const auto wish = mpi_face::parse_watch_wish(seconds);
  if (!wish || seconds.find(' ') != std::string::npos)
    refuse(fmt::format("'{}' is not a time to wait; it may be 10, for instance: a number of seconds from 0.1 on", seconds));
  return wish->limit_s;
}

// Says once for all ranks why nothing is watched, if the user has asked for it. The program runs in any case.
void say_unwatched(bool is_asked, std::string_view why) {
  if (is_asked && is_first_launched()) std::fputs(fmt::format("quadrille: {}; the program is not watched\n", why).c_str(), stderr);
}

// The watcher of rank 0 listens, so that those of other nodes can reach it. It does not if all ranks are on this node.
std::optional<Listener> make_listener(bool is_asked) {
  const auto self = launched();
  if (!self || self->rank != 0 || launcher_value(&MpiLauncher::local_size) == std::to_string(self->ranks)) return std::nullopt;
  try {
    return Listener();
  } catch (const Error& error) {
    if (is_asked) std::fputs(fmt::format("quadrille: {}; each node watches for itself\n", error.what()).c_str(), stderr);
    return std::nullopt;
  }
}

// What the process beside the program does. The program makes the folder of counters when it initialises MPI. A script may
// start several such programs, one after the other.
void watch(WrappedProcess& program, const WatchPlan& plan, std::optional<Listener> listener, const std::function<void()>& check) {
  std::optional<Watcher> watcher;
  std::optional<ProcessEnd> rank;
  int signal = SIGTERM;  // tells the rank to end
  Watcher::Time next_signal{};
  const ProcessEnd whole(program.id());
  for (bool is_over = false; !is_over;) {
    std::vector<pollfd> polled{{program.descriptor(), POLLIN, 0}};
    if (rank && rank->descriptor() >= 0) polled.push_back({rank->descriptor(), POLLIN, 0});
    if (watcher) watcher->add_polled(polled);
    ::poll(polled.data(), polled.size(), static_cast<int>(Watcher::pace.count()));
    is_over = program.has_ended();
    if (program.is_stopped()) continue;
    if (!watcher && ::access(plan.folder.c_str(), F_OK) == 0) {
      check();
      watcher.emplace(program.id(), plan, std::exchange(listener, std::nullopt));
    }
    if (!watcher) continue;
    if (is_over || (rank && rank->has_come())) {
      watcher->end(rank ? rank->status() : whole.status(), program.was_told_to_end());
      watcher.reset(), rank.reset();
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    watcher->tick(now);
    if (!rank && watcher->rank_process() != 0) rank.emplace(watcher->rank_process());
    if (!rank || !watcher->aborts()) continue;
    if (now < next_signal) continue;
    for (const pid_t each : {watcher->rank_process(), program.id()}) ::kill(each, signal);
    signal = SIGKILL;
    next_signal = now + std::chrono::seconds(3);
  }
}

// Starts the watcher, whose number, or failure, the program finds in QUADRILLE_WATCH. This must not depend on what the machine
// allows, because all ranks of a job must find the same.
void start_watcher(mpi_face::WatchWish wish, bool is_asked, bool aborts) {
  std::optional<Listener> listener = make_listener(is_asked);
  std::vector<pollfd> polled;
  if (listener) listener->add_polled(polled), wish.meeting = to_text(listener->meeting());
  std::vector<int> kept;
  for (const pollfd& each : polled) kept.push_back(each.fd);
  // As long as MPICH's launcher sees this descriptor open, it does not end the run because a rank is gone. It may then report exit
  // code 1 for another one.
  if (const auto number = number_in<int>(launcher_value(&MpiLauncher::descriptor)); number && is_asked) kept.push_back(*number);
  const mpi_face::ReportWish report =
      mpi_face::parse_report_wish(environment_value("QUADRILLE_REPORT")).value_or(mpi_face::ReportWish{});
  wish.run = mpi_face::number_of_run();
  WatchPlan plan{.limit_s = wish.limit_s,
                 .is_asked = is_asked,
                 .checks = wish.checks,
                 .aborts = aborts,
                 .reports = counts_calls(),
                 .run = wish.run};
  plan.folder = mpi_face::report_folder(report, wish.run);
  plan.name = report.file.empty() ? plan.folder + "/run" : report.file;
  if (const auto self = launched()) plan.rank = self->rank;
  const auto work = [&](WrappedProcess& program) {
    try {
      watch(program, plan, std::move(listener), [&] { mpi_face::make_report_folder(report, wish.run); });
    } catch (const std::exception& error) {
      if (is_asked) std::fputs(fmt::format("quadrille: {}; the program is not watched\n", error.what()).c_str(), stderr);
    }
  };
  try {
    if (is_asked) mpi_face::make_report_folder(report, wish.run);
  } catch (const Error& error) {
    say_unwatched(is_asked, error.what());
  }
  wish.watcher = run_beside(work, kept);
  if (wish.watcher < 0) {
    say_unwatched(is_asked, fmt::format("a process cannot be started: {}", std::strerror(errno)));
    ::rmdir(plan.folder.c_str());
  }
  set("QUADRILLE_WATCH", to_text(wish));
}

// Decides whether the program is watched, as with --watch, --check, QUADRILLE_WATCH, or, unless its calls are left to the MPI
// library, by default.
void set_watch(const WrapArguments& options, const std::string& mpi) {
  const std::string variable = environment_value("QUADRILLE_WATCH"), mode = environment_value("QUADRILLE");
  const auto outer = mpi_face::parse_watch_wish(variable);
  if (outer && outer->watcher != 0) return;  // by the `wrap` that has started this one
  const bool is_asked = options.watch || options.check;
  const bool is_left = options.off || options.record || mode == "off" || !environment_value("QUADRILLE_RECORD").empty();
  if (mpi == "abi") say_unwatched(is_asked, "programs of MPI 5's standard ABI show no calls");
  if (mpi == "abi" || (!is_asked && (is_left || options.no_watch || variable == "off"))) return set("QUADRILLE_WATCH", "off");
  const std::string seconds = options.watch ? *options.watch : options.check ? "10" : variable.empty() ? "30" : variable;
  start_watcher({.limit_s = checked_limit(seconds), .checks = options.check}, is_asked, options.watch_abort);
}

int run_wrap(const WrapArguments& options) {
  if (options.command.empty()) refuse("name a program: mpirun -n 8 quadrille wrap ./app");
  if (options.report && mpi_face::parse_report_wish(options.command[0]))
    refuse(fmt::format("the kind of report must follow =: --report={}", options.command[0]));
  const bool asks_to_watch = options.watch || options.check;
  if (options.watch_abort && !asks_to_watch) refuse("--watch-abort needs a time to wait; add --watch");
  if (asks_to_watch && options.no_watch) refuse("--no-watch contradicts --watch and --check");
  if (asks_to_watch && (options.off || options.record))
    refuse("--watch and --check need the calls that --off and --record leave to the MPI library");
  if (options.watch) checked_limit(*options.watch);
  if (options.tune && options.command[0].ends_with('%'))
    refuse(fmt::format("the share must follow =: --tune={}", options.command[0]));
  const PreloadedProgram program = checked_program(options.command[0]);
  set_modes(options);
  const LinkedMpi linked = linked_mpi(program.file);
  const std::string mpi = linked.chosen(program.file);
  std::string library = preload_library(mpi);
  if (const std::string alias = alias_library(mpi, linked.files); !alias.empty()) library = alias + ':' + library;
  // Nothing is counted under the standard ABI. Without --watch, a run without a report is watched without the library that sees
  // point-to-point calls, because it takes about 24 ns of each.
  if (options.record || ((asks_to_watch || counts_calls()) && mpi != "abi")) library += ':' + record_library(mpi);
  if (options.heap) preload_heap(*options.heap);
  const char* others = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", others && *others ? library + ':' + others : library);
  // The program keeps the id of this process, which the variable holds. A script starts its MPI program as another process, so
  // the variable would not match.
  if (!program.is_script) set("QUADRILLE_WRAPPED", std::to_string(getpid()));

  std::vector<char*> arguments;
  for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  set_watch(options, mpi);
  execv(program.path.c_str(), arguments.data());
  refuse(fmt::format("{} cannot be run: {}", program.path.string(), std::strerror(errno)));
}

}  // namespace

Subcommand add_wrap(CLI::App& command) {
  auto options = std::make_shared<WrapArguments>();
  OptionTable table(command, "wrap", "run an unmodified MPI program, with faster collectives");
  table.add(
      group::execution,
      {{"--off", "", options->off, "pass everything through"},
       {"--profile", "", options->profile, "pass everything through, but count and time it, and report at the end"},
       {"--report", "KIND", options->report,
        "report at the end what ran, for how long and why: summary (also without a value), full, summary:FILE or full:FILE; with "
        "a file, FILE.json is written, too. The value must follow ="},
       {"--choose", "RULES", options->choose,
        "the algorithm to use: COLLECTIVE[:SMALLEST-LARGEST]=ALGORITHM, several separated by semicolons; sizes are those of a "
        "block, "
        "and 'vendor' is the MPI library's own collective"},
       {"--tune", "SHARE", options->tune,
        "race candidates during the run, for this share of its time (1% without a value; the value must follow =), and keep the "
        "results as wisdom"},
       {"--no-learn", "", options->no_learn, "take nothing from earlier runs, and keep nothing of this one"},
       {"--watch", "SECONDS", options->watch,
        "if no collective has ended for so long (10 seconds without a value; the value must follow =), say which rank is missing, "
        "in which call and where; 'quadrille watch' looks at once"},
       {"--check", "", options->check,
        "as --watch, and compare the arguments of each collective among the ranks: end the program at the first that does not "
        "match"},
       {"--watch-abort", "", options->watch_abort, "with --watch or --check: end the program then"},
       {"--no-watch", "", options->no_watch, "do not watch; else a run is watched with 30 seconds, without point-to-point calls"},
       {"--heap", "KIND", options->heap,
        "large allocations of the program come from memory that its processes share, so that their messages are copied once; "
        "always (the value must follow =): even where that costs huge pages"},
       {"--record", "FOLDER", options->record,
        "record each call, and the computing between calls, into this folder (quadrille-recording without a value; the value must "
        "follow =); the MPI library runs every call, and 'quadrille recording' prints what was recorded"},
       {"--fold", "", options->fold, "with --record: keep means of 64 repetitions"}});
  table.set_footer(
      "Usage: quadrille wrap [OPTIONS] [--] PROGRAM ARGUMENTS...\n"
      "The program runs with a library preloaded that defines MPI's blocking collectives. The libraries that the program is linked "
      "with tell which MPI library it uses. Interpreters load MPI later; for them the launcher tells it, or QUADRILLE_MPI. --off "
      "sets QUADRILLE=off, --profile QUADRILLE=profile, --report QUADRILLE_REPORT, --choose QUADRILLE_CHOOSE, "
      "--tune QUADRILLE_TUNE, --no-learn QUADRILLE_LEARN=off, --no-watch QUADRILLE_WATCH=off, --record QUADRILLE_RECORD, "
      "--heap=always QUADRILLE_HEAP=always. The "
      "counters of a run that did not end "
      "normally are kept; 'quadrille "
      "report' reads "
      "them, also while the program runs.\n"
      "The library is preloaded before others, so tools that use MPI's profiling interface see no blocking collectives.\n\n"
      "Examples:\n"
      "  mpirun -n 8 quadrille wrap ./app\n"
      "  mpirun -n 8 quadrille wrap ./app its arguments\n"
      "  mpirun -n 8 quadrille wrap python3 program.py\n"
      "  mpirun -n 8 quadrille wrap --report ./app\n"
      "  mpirun -n 8 quadrille wrap --tune --report ./app\n"
      "  mpirun -n 8 quadrille wrap --choose 'alltoall:0-1KiB=bruck:radix=4;broadcast=vendor' ./app\n"
      "  mpirun -n 8 quadrille wrap --profile --report=full:run.txt ./app\n"
      "  mpirun -n 8 quadrille wrap --record=run.recording ./app");
  Subcommand subcommand{std::move(table), [options] { return run_wrap(*options); }};
  subcommand.program = ProgramWords{
      &options->command,
      {{"--report", "summary"}, {"--tune", "1%"}, {"--record", "quadrille-recording"}, {"--watch", "10"}, {"--heap", "on"}}};
  return subcommand;
}

}  // namespace quadrille::command
