// SPDX-License-Identifier: BSD-3-Clause
// quadrille tune: measures which algorithms are the fastest on this machine, and keeps the results as wisdom.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "execute/agreement.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/documents.hpp"
#include "options/problem_options.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"
#include "quadrille/tune.hpp"
#include "reports/tune_report.hpp"
#include "schedule/forms/json.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille::command {
namespace {

constexpr double largest_size = 1e12;  // bytes; larger ones are not sizes of blocks

double number_of(const JsonValue& row, std::string_view key) {
  const auto found = row.find(key);
  return found && found->value().is_number() ? found->value().get<double>() : 0;
}

// The mean size of a block, from the row's sums; 0: unknown. Reductions are measured with numbers of 8 bytes.
Bytes mean_size(const JsonValue& row, Collective collective, Count ranks) {
  if (!moves_data(collective)) return 0;
  // A row has the bytes of all ranks, or else the sum of the calls' block sizes.
  const bool is_by_rank = number_of(row, "sent_bytes") > 0;
  double size = number_of(row, is_by_rank ? "sent_bytes" : "block_bytes") /
                std::max(number_of(row, is_by_rank ? "rank_calls" : "calls"), 1.0);
  // For an alltoallv the size is what a rank sends to all ranks; for a reduce_scatter with shares, the whole vector.
  if (has_pair_counts(collective) || (is_irregular(collective) && !is_by_rank)) size /= static_cast<double>(ranks);
  if (!(size >= 0.5 && size <= largest_size)) return 0;
  return rounded_up(std::llround(size), is_reduction(collective) ? 8 : 1);
}

// The number of ranks that make the calls of a row; 0: unknown.
Count ranks_of(const JsonValue& report, const JsonValue& row) {
  const JsonValue communicator = row.key("communicator"), all = report.key("communicators");
  if (communicator.value().is_null()) return 0;
  const auto last = static_cast<std::int64_t>(all.size()) - 1;
  const JsonValue used = all.entry(static_cast<std::size_t>(communicator.integer("a communicator", 0, last)));
  const JsonValue ranks = used.key("ranks");
  return ranks.value().is_null() ? 0 : ranks.integer("a number of ranks");
}

// What a row of a report says about its calls.
struct Calls {
  WantedCell cell;
  Count ranks;
  double seconds;
};

// Reads the rows whose function is a collective. Throws Error{malformed} if the text is no report.
std::vector<Calls> calls_of(const std::string& text, Count ranks) {
  const nlohmann::json tree = json_tree(text);
  const JsonValue report(tree), format = report.key("format"), rows = report.key("rows");
  if (format.text() != "quadrille-report") format.expected("'quadrille-report'");
  std::vector<Calls> calls;
  rows.for_each([&](const JsonValue& row) {
    const auto collective = collective_of_function(row.key("collective").text());
    if (!collective) return;
    const WantedCell cell{*collective, mean_size(row, *collective, ranks)};
    calls.push_back({cell, ranks_of(report, row), number_of(row, "rank_seconds")});
  });
  return calls;
}

// Reads from a report which calls a program makes, so that `tune --from RUN.json` measures them. `quadrille wrap
// --report=full:RUN` writes RUN.json. Returns a cell for each kind of call that communicators with `ranks` ranks make; the kind
// that took most time comes first. If the report also has calls of other numbers of ranks, adds a sentence about them to
// `remarks`. Throws Error{malformed} if the text is no report, and Error{misuse} if it has no such calls.
std::vector<WantedCell> wanted_cells(const std::string& text, const std::string& file, Count ranks,
                                     std::vector<std::string>& remarks) {
  std::vector<Calls> calls;
  try {
    calls = calls_of(text, ranks);
  } catch (const Error& wrong) {
    throw Error(wrong.code(), fmt::format("{} is not a report as 'quadrille wrap --report=full:RUN' writes to RUN.json", file));
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Calls& a, const Calls& b) { return a.seconds > b.seconds; });
  std::vector<WantedCell> cells;
  std::set<Count> others;
  for (const auto& [cell, made_by, seconds] : calls) {
    if (made_by != ranks) {
      if (made_by > 1) others.insert(made_by);
      continue;
    }
    if (cell.size == 0 && moves_data(cell.collective)) continue;
    const auto is_it = [cell = cell](const WantedCell& known) {
      return known.collective == cell.collective && known.size == cell.size;
    };
    if (std::none_of(cells.begin(), cells.end(), is_it)) cells.push_back(cell);
  }
  const std::string also = fmt::format("{}", fmt::join(others, ", "));
  if (cells.empty())
    throw Error(ErrorCode::misuse, others.empty() ? fmt::format("{} has no calls that can be measured", file)
                                                  : fmt::format("{} has no calls of {}; start tune with {} ranks", file,
                                                                counted(ranks, "rank"), also));
  if (!others.empty())
    remarks.push_back(fmt::format("{} also has calls of {} ranks; start tune with as many for these", file, also));
  return cells;
}

// The following two functions write the cells as text, one line each, and read this text, so that rank 0 can send the cells to
// the other ranks.
std::string wanted_text(const std::vector<WantedCell>& cells) {
  std::string text;
  for (const WantedCell& cell : cells) text += fmt::format("{} {}\n", static_cast<int>(cell.collective), cell.size);
  return text;
}

std::vector<WantedCell> parse_wanted(const std::string& text) {
  std::vector<WantedCell> cells;
  std::istringstream words(text);
  int collective = 0;
  Bytes size = 0;
  while (words >> collective >> size) cells.push_back({static_cast<Collective>(collective), size});
  return cells;
}

const std::vector<Count> standard_ranks{2, 4, 8};  // numbers of threads

struct TuneArguments {
  TuneOptions tune;
  std::optional<std::vector<Count>> ranks;  // numbers of threads
  std::optional<std::size_t> ways;
  std::optional<std::string> executor, output, from;
  double timeout_seconds = 60;
  bool json = false;
  std::int64_t start_unix_s = unix_seconds_now();
};

// Refuses impossible problems before anything is measured.
void check_problems(const TuneOptions& tune, Count ranks) {
  for (const Collective collective : tune.collectives.empty() ? all_collectives() : tune.collectives)
    for (const Bytes size : tune.sizes) ProblemOptions().problem(collective, ranks, size, 0);
  cells_of(tune, ranks);
}

// Returns the checked options, the same on every rank, for work with `ranks` threads.
TuneOptions checked(const TuneArguments& options, Executor executor, const std::vector<Count>& ranks) {
  TuneOptions tune = options.tune;
  if (executor != Executor::automatic) tune.executors = {executor};
  if (options.ways) tune.ways = *options.ways;
  if (tune.launches > most_races)
    refuse(fmt::format("--launches is from 1 to {}, because wisdom keeps at most {} launches of a cell", most_races, most_races));
  check_threads(*std::max_element(ranks.begin(), ranks.end()));
  for (const Count each : ranks) check_problems(tune, each);
  return tune;
}

// Prints remarks and progress while ranks work, and tells them of signals.
class Talk {
 public:
  explicit Talk(RankGroup& ranks) : ranks_(ranks) {}

  // Returns the options with functions that must not outlive this object.
  TuneOptions told(TuneOptions tune) {
    tune.begin = [this, tune](std::size_t open, std::size_t cells) {
      if (open >= 2) say(plan_text(tune, open, cells));
    };
    tune.progress = [this](const TuneProgress& progress) {
      ranks_.beat();
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
  RankGroup& ranks_;
  const StopSignal stop_;
};

// Returns an object for one session, an array for several.
Json results_of(const std::vector<TuneResult>& sessions, const TuneArguments& options) {
  Json list = Json::array();
  for (const TuneResult& session : sessions)
    add_run_facts(list.emplace_back(json_of(session)), this_machine(), options.start_unix_s);
  return one_or_all(list);
}

int report(const std::vector<TuneResult>& sessions, const TuneArguments& options) {
  Output output(options.output);
  output.finish(options.json ? document_text("tune", results_of(sessions, options)) : text_of(sessions));
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

// Local: the cells of the calls in the report of a run, for `ranks` ranks.
std::vector<WantedCell> wanted_by(const std::string& file, Count ranks) {
  std::vector<std::string> remarks;
  auto wanted = wanted_cells(read_text(file, label_of(file)), "'" + file + "'", ranks, remarks);
  for (const std::string& sentence : remarks) remark(sentence);
  return wanted;
}

// Measures on all ranks and returns the exit code. `session` becomes that of rank 0, or of this process.
int measure(RankGroup& ranks, const TuneOptions& options, double timeout_seconds, TuneResult& session) {
  Talk talk(ranks);
  const TuneOptions told = talk.told(options);
  const auto work = [&](Communicator& communicator) {
    TuneResult mine = tune(communicator, told);
    if (communicator.rank() == 0 || !ranks.has_first()) session = std::move(mine);
    return good;
  };
  return ranks.run(timeout_seconds, work, "; what was measured is kept");
}

int run_on_threads(const TuneArguments& options) {
  const std::vector<Count> numbers = options.ranks.value_or(standard_ranks);
  TuneOptions request = checked(options, Executor::automatic, numbers);
  if (options.from && numbers.size() != 1) refuse("--from is for one number of ranks, that of the program; say which: --ranks 4");
  if (options.from) request.wanted = wanted_by(*options.from, numbers[0]);
  Output{options.output};  // throws if the file cannot be written
  std::vector<TuneResult> sessions;
  for (const Count number : numbers) {
    RankGroup ranks(number);
    measure(ranks, request, options.timeout_seconds, sessions.emplace_back());
    if (sessions.back().stopped != 0) break;
  }
  return report(sessions, options);
}

int run_launched(const TuneArguments& options, Executor executor) {
  if (options.ranks) refuse("the launcher sets the number of ranks; leave --ranks out");
  TuneOptions request = checked(options, executor, standard_ranks);
  if (const auto here = launched(); here && here->ranks < 2) refuse("a single rank has nothing to choose; start two or more");
  if (request.vendor) allow_vendor_algorithms();
  RankGroup ranks(join_launched_ranks());
  if (!ranks.first_can_write({options.output})) return misused;
  if (options.from) {  // rank 0 reads, because other hosts may not have the file
    const std::string text = made_or_thrown(
        ranks.world(), [&] { return ranks.has_first() ? wanted_text(wanted_by(*options.from, ranks.size())) : std::string(); });
    request.wanted = parse_wanted(told_by(ranks.world(), 0, text));
  }
  std::vector<TuneResult> sessions(1);
  if (const int code = measure(ranks, request, options.timeout_seconds, sessions[0]); code != good) return code;
  if (ranks.has_first()) return report(sessions, options);
  return sessions[0].stopped != 0 ? 128 + sessions[0].stopped : good;
}

int run_tune(const TuneArguments& options) {
  if (options.tune.vendor && options.executor) refuse("--vendor measures the MPI library's own algorithms; leave --executor out");
  if (options.tune.vendor && options.ways) refuse("--vendor measures all of the MPI library's own algorithms; leave --ways out");
  if (options.from && (!options.tune.sizes.empty() || !options.tune.collectives.empty()))
    refuse("--from names the calls to measure; leave --block and the collectives out");
  const AskedExecutor asked = parse_executor_of_ranks(options.executor);
  if (joins_launched_ranks(options.executor)) return run_launched(options, asked.executor);
  if (options.tune.vendor)
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
  OptionTable table(command, "tune",
                    "measure which algorithms are the fastest on this machine, and keep that for plans that choose (auto)");
  table.add(group::arguments, {{"collectives",
                                "COLLECTIVE",
                                {options->tune.collectives, parse_collectives},
                                "which collectives (default: all, beginning with those that programs use most)"}});
  table.add(group::problem,
            {{"--block",
              "SIZES",
              {options->tune.sizes, parse_sizes},
              "sizes of a block: 8,1KiB, or 8..64KiB, which doubles (default: nine from 8B to 1MiB)"},
             {"--from", "RUN.json", options->from,
              "the calls of a program instead, those that took most time first: RUN.json of 'quadrille wrap --report=full:RUN'"},
             {"--ranks",
              "LIST",
              {options->ranks, [](const std::string& text) { return parse_wholes(text, "the number of ranks", 2); }},
              "on threads: numbers of ranks (default " + fmt::format("{}", fmt::join(standard_ranks, ",")) +
                  "); a launcher sets the number of ranks itself"}});
  table.add(
      group::execution,
      {{"--executor", "NAME", options->executor,
        fmt::format("threads, or only {}; default: without a launcher threads, else all executors that the ranks have, side by "
                    "side",
                    executor_help())},
       {"--vendor", "", options->tune.vendor, "measure the MPI library's own algorithms instead, for 'quadrille wisdom export'"}});
  table.add(
      group::measurement,
      {{"--time",
        "SECONDS",
        {options->tune.seconds, seconds("the time")},
        "stop after about this time; the same command then continues (default: no limit)"},
       {"--cell",
        "SECONDS",
        {options->tune.seconds_per_cell, seconds("the time of a cell")},
        "approximate time for a collective at one size (default {default}s)"},
       {"--ways",
        "N",
        {options->ways, whole("the number of ways", 1)},
        "number of ways to race in each cell, those with the lowest prices (default 8); the default algorithm, the MPI library's "
        "own "
        "collective and the fastest ways of the neighbouring sizes always race, too"},
       {"--days",
        "N",
        {options->tune.days, whole("the number of days", 0)},
        "measure a cell again if its measurement is more than N days old (default {default})"},
       {"--again", "", options->tune.again, "also measure known cells again, and add the results to the known ones"},
       {"--launches",
        "N",
        {options->tune.launches, whole("the number of launches", 1)},
        "measure a cell again if fewer than N launches have measured it, N at most 8 (default {default}); each start of this "
        "command is a "
        "launch"},
       {"--timeout",
        "SECONDS",
        {options->timeout_seconds, seconds("the time-out")},
        "stop after this time without progress (default {default}s)"}});
  table.add_json(options->json, "as a JSON object; on threads with several numbers of ranks an array");
  table.add_output(options->output);
  table.set_footer(
      "Each size of each collective is a cell. Its candidates race in three elimination rounds, of 5, 5 and 7 repetitions or more. "
      "After "
      "each round, candidates that are clearly slower than 1.05 times the best leave. Sizes go from coarse to fine "
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
  return {std::move(table), [options] { return run_tune(*options); },
          [options] { return joins_launched_ranks(options->executor); }};
}

}  // namespace quadrille::command
