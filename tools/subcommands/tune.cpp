// SPDX-License-Identifier: BSD-3-Clause
// quadrille tune: measures which algorithms are the fastest on this machine, and keeps the results as wisdom.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "execute/agreement.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "options/documents.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/tune.hpp"
#include "reports/run_facts.hpp"
#include "reports/tune_report.hpp"
#include "subcommands/subcommand.hpp"
#include "subcommands/tune_from.hpp"
#include "support/executor_option.hpp"
#include "support/json.hpp"
#include "support/launcher.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/stop_signal.hpp"
#include "support/talk.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille::command {
namespace {

constexpr const char* kept = "; what was measured is kept";

struct TuneArguments {
  std::vector<std::string> collectives;
  std::optional<std::string> block, ranks, executor, cell, time, days, ways, launches, timeout, output, from;
  bool again = false, vendor = false, json = false;
  std::int64_t start_unix_s = unix_seconds_now();
};

// The checked options, the same on every rank.
struct TuneRequest {
  TuneOptions tune;
  std::vector<Count> ranks;  // numbers of threads
  double timeout_seconds = 60;
};

// Refuses impossible problems before anything is measured.
void check_problems(const TuneOptions& tune, Count ranks) {
  for (const Collective collective : tune.collectives.empty() ? all_collectives() : tune.collectives)
    for (const Bytes size : tune.sizes) ProblemOptions().problem(collective, ranks, size, 0);
  cells_of(tune, ranks);
}

TuneRequest request_of(const TuneArguments& options, Executor executor) {
  TuneRequest request;
  TuneOptions& tune = request.tune;
  for (const std::string& word : options.collectives) tune.collectives.push_back(parse_collective(word));
  if (options.block) tune.sizes = parse_sizes(*options.block);
  if (executor != Executor::automatic) tune.executors = {executor};
  if (options.cell) tune.seconds_per_cell = parse_seconds(*options.cell, "the time of a cell");
  if (options.time) tune.seconds = parse_seconds(*options.time, "the time");
  tune.again = options.again;
  if (options.launches) tune.launches = static_cast<std::size_t>(parse_whole(*options.launches, "the number of launches", 1));
  if (tune.launches > most_races)
    refuse(fmt::format("--launches is from 1 to {}, because wisdom keeps at most {} launches of a cell", most_races, most_races));
  tune.vendor = options.vendor;
  if (options.days) tune.days = parse_whole(*options.days, "the number of days", 0);
  if (options.ways) tune.ways = static_cast<std::size_t>(parse_whole(*options.ways, "the number of ways", 1));
  if (options.timeout) request.timeout_seconds = parse_seconds(*options.timeout, "the time-out");
  request.ranks = parse_wholes(options.ranks.value_or("2,4,8"), "the number of ranks", 2);
  check_threads(*std::max_element(request.ranks.begin(), request.ranks.end()));
  for (const Count ranks : request.ranks) check_problems(tune, ranks);
  return request;
}

// Prints remarks and progress while ranks work, and tells them of signals.
class Talk {
 public:
  explicit Talk(Watchdog& watchdog) : watchdog_(watchdog) {}

  // Returns the options with functions that must not outlive this object.
  TuneOptions told(TuneOptions tune) {
    tune.begin = [this, tune](std::size_t open, std::size_t cells) {
      if (open >= 2) say(plan_text(tune, open, cells));
    };
    tune.progress = [this](const TuneProgress& progress) {
      watchdog_.beat();
      progress_.show(text_of(progress));
    };
    tune.wrong = [this](const TuneCell& cell, const std::string& sentence) {
      say(fmt::format("wrong data: {}: {}", text_of(cell), sentence));
    };
    tune.stop = StopSignal::caught;
    return tune;
  }

 private:
  void say(const std::string& sentence) {
    progress_.clear();
    remark(sentence);
  }

  ProgressLine progress_;
  Watchdog& watchdog_;
  const StopSignal stop_;
};

// Returns an object for one session, an array for several.
Json results_of(const std::vector<TuneResult>& sessions, const TuneArguments& options) {
  Json list = Json::array();
  for (const TuneResult& session : sessions)
    add_run_facts(list.emplace_back(json_of(session)), this_machine(), options.start_unix_s);
  return list.size() == 1 ? list[0] : list;
}

int report(const std::vector<TuneResult>& sessions, const TuneArguments& options) {
  Output output(options.output);
  output.finish(options.json ? to_text(results_of(sessions, options)) : text_of(sessions));
  for (const TuneResult& session : sessions) {
    for (const TuneCell& each : session.cells)
      if (each.state == CellState::left_out) remark(fmt::format("left out: {}: {}", text_of(each), each.reason));
    if (const std::size_t open = session.count(CellState::open); open > 0)
      remark(fmt::format("stopped {} with {} of {} cells to do for {}; the same command goes on from here",
                         session.stopped != 0 ? "by a signal" : "after --time", open, session.cells.size(),
                         counted(session.ranks, "rank")));
  }
  const TuneResult& last = sessions.back();
  if (last.stopped != 0) return 128 + last.stopped;
  return std::any_of(sessions.begin(), sessions.end(), [](const TuneResult& session) { return session.wrong_data; }) ? with_findings
                                                                                                                     : good;
}

// Local: the cells of the calls in the report of a run, for so many ranks.
std::vector<WantedCell> wanted_by(const std::string& file, Count ranks) {
  std::vector<std::string> remarks;
  auto wanted = wanted_cells(read_text(file, file == "-" ? "stdin" : "'" + file + "'"), "'" + file + "'", ranks, remarks);
  for (const std::string& sentence : remarks) remark(sentence);
  return wanted;
}

int run_on_threads(const TuneArguments& options) {
  TuneRequest request = request_of(options, Executor::automatic);
  if (options.from && request.ranks.size() != 1)
    refuse("--from is for one number of ranks, that of the program; say which: --ranks 4");
  if (options.from) request.tune.wanted = wanted_by(*options.from, request.ranks[0]);
  Output{options.output};  // throws if it cannot be written
  std::vector<TuneResult> sessions;
  {
    Watchdog watchdog(request.timeout_seconds, [&] { complain(stuck(request.timeout_seconds) + kept); });
    Talk talk(watchdog);
    const TuneOptions tune_options = talk.told(request.tune);
    for (const Count ranks : request.ranks) {
      TuneResult& session = sessions.emplace_back();
      run_threads(ranks, [&](Communicator& communicator) {
        TuneResult mine = tune(communicator, tune_options);
        if (communicator.rank() == 0) session = std::move(mine);
      });
      if (session.stopped != 0) break;
    }
  }
  return report(sessions, options);
}

int run_launched(const TuneArguments& options, Executor executor) {
  if (options.ranks) refuse("the launcher sets the number of ranks; leave --ranks out");
  TuneRequest request = request_of(options, executor);
  if (const auto here = launched(); here && here->ranks < 2) refuse("a single rank has nothing to choose; start two or more");
  if (options.vendor) allow_vendor_algorithms();
  const std::unique_ptr<Communicator> world = join_launched_ranks();
  if (!first_can_write(*world, options.output)) return misused;
  if (options.from) {  // rank 0 reads, because other hosts may not have the file
    const std::string text = made_or_thrown(
        *world, [&] { return world->rank() == 0 ? text_of(wanted_by(*options.from, world->size())) : std::string(); });
    request.tune.wanted = parse_wanted(told_by(*world, 0, text));
  }
  std::vector<TuneResult> sessions;
  const auto measure = [&](Watchdog& watchdog) {
    Talk talk(watchdog);
    sessions.push_back(tune(*world, talk.told(request.tune)));
    return good;
  };
  if (const int code = run_watched(*world, request.timeout_seconds, measure, kept); code != good) return code;
  if (world->rank() == 0) return report(sessions, options);
  return sessions[0].stopped != 0 ? 128 + sessions[0].stopped : good;
}

int run_tune(const TuneArguments& options) {
  if (options.vendor && options.executor) refuse("--vendor measures the MPI library's own algorithms; leave --executor out");
  if (options.vendor && options.ways) refuse("--vendor measures all of the MPI library's own algorithms; leave --ways out");
  if (options.from && (options.block || !options.collectives.empty()))
    refuse("--from names the calls to measure; leave --block and the collectives out");
  const AskedExecutor asked = parse_executor_of_ranks(options.executor);
  if (joins_launched_ranks(options.executor)) return run_launched(options, asked.executor);
  if (options.vendor)
    refuse("there is no MPI library here whose algorithms could be measured; start it as 'mpirun -n 8 quadrille tune --vendor'");
  if (options.executor && !asked.on_threads)
    refuse(
        fmt::format("there are no processes to run with by the executor {}: {}; start it as 'mpirun -n 8 quadrille tune' or "
                    "'quadrille run -n 8 "
                    "quadrille tune'",
                    *options.executor, choose_transport().reason));
  return run_on_threads(options);
}

}  // namespace

Subcommand add_tune(CLI::App& command) {
  auto options = std::make_shared<TuneArguments>();
  CLI::App* parser = add_subcommand(
      command, "tune", "measure which algorithms are the fastest on this machine, and keep that for plans that choose (auto)");
  add_option(*parser, "collectives", options->collectives,
             "which collectives (default: all, beginning with those that programs use most)", "COLLECTIVE");
  begin_group(*parser, group::problem);
  add_option(*parser, "--block", options->block,
             "sizes of a block: 8,1KiB, or 8..64KiB, which doubles (default: nine from 8B to 1MiB)", "SIZES");
  add_option(*parser, "--from", options->from,
             "the calls of a program instead, those that took most time first: RUN.json of 'quadrille wrap --report=full:RUN'",
             "RUN.json");
  add_option(*parser, "--ranks", options->ranks,
             "on threads: numbers of ranks (default 2,4,8); a launcher sets the number of ranks itself", "LIST");
  begin_group(*parser, group::execution);
  add_option(
      *parser, "--executor", options->executor,
      fmt::format("threads, or only {}; default: without a launcher threads, else all executors that the ranks have, side by "
                  "side",
                  executor_help()),
      "NAME");
  add_flag(*parser, "--vendor", options->vendor, "measure the MPI library's own algorithms instead, for 'quadrille wisdom export'");
  begin_group(*parser, group::measurement);
  add_option(*parser, "--time", options->time, "stop after about this time; the same command then continues (default: no limit)",
             "SECONDS");
  add_option(*parser, "--cell", options->cell, "approximate time for a collective at one size (default 1s)", "SECONDS");
  add_option(
      *parser, "--ways", options->ways,
      "number of ways to race in each cell, those with the lowest prices (default 8); the default algorithm, the MPI library's own "
      "collective and the fastest ways of the neighbouring sizes always race, too",
      "N");
  add_option(*parser, "--days", options->days, "measure a cell again if its measurement is more than N days old (default 90)", "N");
  add_flag(*parser, "--again", options->again, "also measure known cells again, and add the results to the known ones");
  add_option(
      *parser, "--launches", options->launches,
      "measure a cell again if fewer than N launches have measured it, N at most 8 (default 1); each start of this command is a "
      "launch",
      "N");
  add_option(*parser, "--timeout", options->timeout, "stop after this time without progress (default 60s)", "SECONDS");
  begin_group(*parser, group::output);
  add_json_flag(*parser, options->json, "as a JSON object; on threads with several numbers of ranks an array");
  add_output_option(*parser, options->output);
  set_footer(*parser,
             "Each size of each collective is a cell. Its candidates race in three heats, of 5, 5 and 7 repetitions or more. After "
             "each heat, candidates that are clearly slower than 1.05 times the best leave. Sizes go from coarse to fine "
             "and each cell is stored at once, so you can stop at any time. Ctrl-C stops after the present cell, a second one at "
             "once. Known cells are not measured again. With more ranks than cores, times change from launch to launch, so "
             "measure in several launches (--launches); choices use their results together.\n\n"
             "Wisdom is kept in the user's cache folder, or where QUADRILLE_WISDOM says; see 'quadrille wisdom show'. Plans and "
             "'quadrille explain' read it. Reductions are timed with sums of f64, rooted collectives with root 0. Exit "
             "code 1 if data was wrong, 128 + N after signal N.\n\n"
             "Examples:\n"
             "  mpirun -n 8 quadrille tune\n"
             "  mpirun -n 8 quadrille tune alltoall allreduce --block 8..64KiB\n"
             "  mpirun -n 8 quadrille tune --from run.txt.json --time 600\n"
             "  for n in 2 4 8 16; do mpirun -n $n quadrille tune --time 600; done\n"
             "  for i in 1 2 3; do mpirun -n 8 quadrille tune --launches 3; done\n"
             "  quadrille run -n 4 quadrille tune allgather\n"
             "  quadrille explain alltoall --ranks 8 --block 1KiB");
  return {parser, [options] { return run_tune(*options); }, [options] { return joins_launched_ranks(options->executor); }};
}

}  // namespace quadrille::command
